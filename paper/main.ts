import { attachToSupervisor } from '#integrations/supervised.ts';
import { BAD_INPUT_EXIT_CODE, BadInputError } from './bad-input.ts';
import { parseOptions } from './options.ts';
import { startPaper } from './server.ts';

const log = (line: string) => process.stderr.write(`${line}\n`);

try {
  const options = parseOptions(process.argv.slice(2), process.env);
  const exchange = await startPaper(options, log);
  const supervisor = attachToSupervisor(async () => exchange[Symbol.asyncDispose]());
  const addresses = {
    rest: exchange.url,
    ws: exchange.wsUrl,
    wsApi: `${exchange.wsUrl}/ws-api/v3`,
    control: exchange.controlUrl,
  };
  const { controlTokenFile } = options;
  // Without a token file, this line is the only place where the token is printed.
  const token = controlTokenFile === undefined ? { controlToken: exchange.controlToken } : { controlTokenFile };
  process.stdout.write(`${JSON.stringify({ ready: true, ...addresses, ...token })}\n`);
  supervisor.ready(addresses);
} catch (error) {
  if (!(error instanceof BadInputError)) throw error;
  log(error.message);
  process.exit(BAD_INPUT_EXIT_CODE);
}
