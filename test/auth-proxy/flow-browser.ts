/** The answer to one request. */
interface Page {
  readonly url: string;
  readonly status: number;
  /** Where it leads; empty when nowhere. */
  readonly to: string;
  readonly headers: Headers;
  readonly text: string;
}

/** A browser as far as a login needs one: cookies by host and domain, redirects by hand, forms of the provider. */
export class Browser {
  readonly #cookies = new Map<string, { readonly domain: string; readonly name: string; readonly value: string }>();

  /** Names and sizes of the cookies, for the domain that they are for. */
  get cookies(): readonly { readonly domain: string; readonly name: string; readonly value: string }[] {
    return [...this.#cookies.values()];
  }

  async open(url: string, init: RequestInit = {}): Promise<Page> {
    const { hostname } = new URL(url);
    const mine = this.cookies.filter(({ domain }) => hostname === domain || hostname.endsWith(`.${domain}`));
    const headers = new Headers(init.headers);
    if (mine.length > 0) headers.set('Cookie', mine.map(({ name, value }) => `${name}=${value}`).join('; '));
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) this.#keep(line, hostname);
    const location = response.headers.get('location');
    return {
      url,
      status: response.status,
      to: location === null ? '' : new URL(location, url).href,
      headers: response.headers,
      text: await response.text(),
    };
  }

  /** Follows redirects and fills in the provider's forms until a page leads nowhere else; returns every page on the way. */
  async login(url: string, user: string): Promise<Page[]> {
    const pages = [await this.open(url)];
    for (let page = pages[0]; page !== undefined && pages.length < 20; page = pages.at(-1)) {
      const action = /<form[^>]* action="([^"]+)"/.exec(page.text)?.[1];
      const prompt = /name="prompt" value="([a-z]+)"/.exec(page.text)?.[1];
      if (page.to !== '') pages.push(await this.open(page.to));
      else if (page.status === 200 && action !== undefined && prompt !== undefined) {
        const body = new URLSearchParams({ prompt, login: user, password: 'any' });
        pages.push(await this.open(new URL(action, page.url).href, { method: 'POST', body }));
      } else break;
    }
    return pages;
  }

  #keep(line: string, host: string): void {
    const [pair = '', ...attributes] = line.split(/;\s*/);
    const name = pair.slice(0, pair.indexOf('='));
    const value = pair.slice(pair.indexOf('=') + 1);
    const named = attributes.find((one) => /^domain=/i.test(one))?.slice('domain='.length);
    const domain = (named ?? host).replace(/^\./, '');
    const key = `${domain} ${name}`;
    if (value === '' || attributes.some((one) => /^max-age=0$/i.test(one))) this.#cookies.delete(key);
    else this.#cookies.set(key, { domain, name, value });
  }
}
