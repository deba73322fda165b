import { spawn } from 'node:child_process';

/** Opens the address in a browser when there is a desktop. Errors are ignored. */
export function openBrowser(url: string, environment: Readonly<Record<string, string | undefined>>): void {
  if (!process.stdout.isTTY) return;
  const opener = chooseOpener(environment);
  if (opener === undefined) return;
  const child = spawn(opener, [url], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}

function chooseOpener(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  if (process.platform === 'darwin') return 'open';
  if (process.platform === 'win32') return 'explorer.exe';
  const desktop = environment['DISPLAY'] ?? environment['WAYLAND_DISPLAY'] ?? '';
  return desktop === '' ? undefined : 'xdg-open';
}
