import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join, resolve } from 'node:path';
import type { CommandContext } from './command.ts';
import { watchBootstrap } from './bootstrap-watch.ts';

const root = resolve(import.meta.dirname, '..');
const [command = 'help', ...argv] = process.argv.slice(2);

const { TRADEWIND_BOOTSTRAP: bootstrap, TRADEWIND_HOME: home = root } = process.env;
delete process.env['TRADEWIND_BOOTSTRAP'];
delete process.env['TRADEWIND_HOME'];
const envFile = join(home, '.env');
if (existsSync(envFile)) process.loadEnvFile(envFile);

// Loading code is half of a short command. The cache is next to the packages, where no other user can replace it.
enableCompileCache(join(root, 'node_modules', '.cache', 'compiled'));
const context: CommandContext = {
  root,
  home,
  environment: { ...process.env },
  bootstrapGone: watchBootstrap(bootstrap),
};
process.exit(await runCommand(command));

/** Commands that run one process and exit themselves. */
async function runMain(main: Promise<unknown>): Promise<never> {
  await main;
  return new Promise(() => undefined);
}

async function runCommand(name: string): Promise<number> {
  switch (name) {
    case 'start':
      return (await import('#cli/start/command.ts')).runStart(argv, context);
    case 'api':
      return runMain(import('#api/main.ts'));
    case 'worker':
      return runMain(import('#worker/main.ts'));
    case 'paper':
      // It reads the flags itself.
      process.argv.splice(2, 1);
      return runMain(import('#paper/main.ts'));
    case 'backtest':
      return (await import('#cli/backtest/command.ts')).runBacktestCommand(argv);
    case 'sweep':
      return (await import('#cli/sweep/command.ts')).runSweepCommand(argv);
    case 'strategy':
      return (await import('#cli/strategy/command.ts')).runStrategy(argv, context);
    case 'candles':
      return (await import('#cli/candles/command.ts')).runCandles(argv, context);
    case 'migrate':
      return (await import('./migrate.ts')).runMigrate(argv, context);
    case 'backup':
    case 'restore':
      return (await import('./backup.ts')).runBackup(name, argv, context);
    case 'status':
    case 'profiles':
    case 'halt':
    case 'resume':
    case 'logs':
    case 'why':
    case 'signals':
      return (await import('#cli/remote/command.ts')).runRemote(name, argv, context);
    case 'token':
    case 'inlet':
    case 'proposal':
      return (await import('#cli/remote/command.ts')).runRemote(`${name} ${argv[0] ?? ''}`, argv.slice(1), context);
    case 'mcp':
      return (await import('./mcp.ts')).runMcp(argv, context);
    case 'version':
    case '--version':
    case '-v':
      return (await import('./version.ts')).runVersion(context);
    case 'help':
    case '--help':
    case '-h':
      return (await import('./help.ts')).runHelp();
    default:
      console.error(`There is no command "${name}"; see "tradewind help".`);
      return 2;
  }
}
