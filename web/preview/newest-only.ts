/** While one request is running only the newest other one waits. Equal requests run once. */
export class NewestOnly<Request> {
  private readonly run: (request: Request) => Promise<void>;
  private waiting: Request | undefined;
  private last = '';
  private busy = false;

  constructor(run: (request: Request) => Promise<void>) {
    this.run = run;
  }

  push(request: Request): void {
    const text = JSON.stringify(request);
    if (text === this.last) return;
    this.last = text;
    this.waiting = request;
    void this.next();
  }

  private async next(): Promise<void> {
    if (this.busy || this.waiting === undefined) return;
    const request = this.waiting;
    this.waiting = undefined;
    this.busy = true;
    await this.run(request);
    this.busy = false;
    await this.next();
  }
}
