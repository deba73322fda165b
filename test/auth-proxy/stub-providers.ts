import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { type Block, SCHEMAS } from './stub-schemas.ts';

type Row = Record<string, unknown>;
type Answer = (error: Error | null, answer?: unknown) => void;
type Method = (call: { readonly request: unknown }, answer: Answer) => void;

interface Grpc {
  readonly Server: new () => {
    addService(definition: unknown, methods: Readonly<Record<string, Method>>): void;
    bindAsync(address: string, credentials: unknown, done: (error: Error | null, port: number) => void): void;
    forceShutdown(): void;
  };
  readonly ServerCredentials: { createInsecure(): unknown };
  loadPackageDefinition(definition: unknown): {
    readonly tfplugin6: { readonly Provider: { readonly service: unknown } };
  };
}
interface ProtoLoader {
  loadSync(path: string, options: Row): unknown;
}
interface Msgpack {
  encode(value: unknown, options: Row): Uint8Array;
  decode(bytes: Uint8Array, options: Row): unknown;
  readonly ExtensionCodec: new () => { register(extension: Row): void };
}

/** Loads a package that may be absent; the caller says what it offers. */
export async function loadPackage<Offer>(name: string): Promise<Offer> {
  const known = z.custom<Offer>((value) => typeof value === 'object' && value !== null);
  return known.parse(await import(name));
}

/** Stands for a value that is known only after the change. */
class Unknown {}
const UNKNOWN = new Unknown();

const bytesOf = z.object({ msgpack: z.instanceof(Uint8Array) });
const asked = z.object({
  type_name: z.string(),
  raw_state: z.object({ json: z.instanceof(Uint8Array) }).nullish(),
  ...Object.fromEntries(
    ['current_state', 'proposed_new_state', 'planned_state'].map((name) => [name, bytesOf.nullish()]),
  ),
});
const row = z.record(z.string(), z.unknown());
const rows = z.array(row);

interface Packer {
  read(value: unknown): Row | null;
  write(value: unknown): { readonly msgpack: Buffer };
}

function openPacker({ encode, decode, ExtensionCodec }: Msgpack): Packer {
  const extensionCodec = new ExtensionCodec();
  extensionCodec.register({
    type: 0,
    encode: (value: unknown) => (value instanceof Unknown ? new Uint8Array([0]) : null),
    decode: () => UNKNOWN,
  });
  return {
    read: (value) => {
      const bytes = bytesOf.safeParse(value).data?.msgpack;
      return bytes === undefined || bytes.length === 0 ? null : row.nullable().parse(decode(bytes, { extensionCodec }));
    },
    write: (value) => ({ msgpack: Buffer.from(encode(value, { extensionCodec })) }),
  };
}

/** Sets what the provider itself decides; what is there already stays. */
function fill(block: Block, values: Row, decide: (name: string, type: string) => unknown): Row {
  for (const { name, type, computed } of block.attributes) {
    if (computed && (values[name] == null || values[name] instanceof Unknown))
      values[name] = decide(name, String(type));
  }
  for (const { type_name: name, block: inner } of block.block_types)
    for (const nested of rows.parse(values[name] ?? [])) fill(inner, nested, decide);
  return values;
}

/** Defaults of the real providers, reported with the plan. */
const DEFAULTS: Readonly<Row> = {
  ...{ atomic: false, cleanup_on_fail: false, create_namespace: false, wait: true, timeout: 300 },
};

function made(name: string, type: string): unknown {
  if (name === 'base64') return randomBytes(32).toString('base64');
  if (name === 'hex') return randomBytes(32).toString('hex');
  return type === '"number"' ? 1 : `made-${name}`;
}

function methodsOf(resources: Readonly<Record<string, Block>>, packer: Packer): Readonly<Record<string, Method>> {
  const nothing: Method = (_, answer) => answer(null, {});
  const change =
    (
      from: 'proposed_new_state' | 'planned_state',
      to: string,
      decide: (name: string, type: string) => unknown,
    ): Method =>
    ({ request }, answer) => {
      const question = asked.loose().parse(request);
      const wanted = packer.read(question[from]);
      const block = resources[question.type_name];
      if (block === undefined) return answer(new Error(`there is no ${question.type_name}`));
      return answer(null, { [to]: packer.write(wanted === null ? null : fill(block, structured(wanted), decide)) });
    };
  return {
    GetProviderSchema: (_, answer) =>
      answer(null, {
        provider: { version: 0, block: { attributes: [] } },
        resource_schemas: Object.fromEntries(
          Object.entries(resources).map(([name, block]) => [name, { version: 0, block }]),
        ),
      }),
    ...Object.fromEntries(
      ['GetResourceIdentitySchemas', 'GetFunctions', 'ValidateProviderConfig', 'ConfigureProvider'].map((name) => [
        name,
        nothing,
      ]),
    ),
    ValidateResourceConfig: nothing,
    StopProvider: nothing,
    UpgradeResourceState: ({ request }, answer) => {
      const text = Buffer.from(asked.loose().parse(request).raw_state?.json ?? []).toString();
      answer(null, { upgraded_state: packer.write(JSON.parse(text)) });
    },
    ReadResource: ({ request }, answer) => answer(null, { new_state: asked.loose().parse(request)['current_state'] }),
    PlanResourceChange: change('proposed_new_state', 'planned_state', (name) =>
      name in DEFAULTS ? DEFAULTS[name] : UNKNOWN,
    ),
    ApplyResourceChange: change('planned_state', 'new_state', made),
  };
}

/** Rows that may be changed; what is not known yet stays so. */
const structured = (values: Row): Row =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? value.map(copyRow) : value]),
  );
const copyRow = (value: unknown): unknown => (row.safeParse(value).success ? { ...row.parse(value) } : value);

/** The environment with which Terraform uses stubs of the three providers in this process. */
export async function openStubProviders(): Promise<
  AsyncDisposable & { readonly env: Readonly<Record<string, string>> }
> {
  const grpc = await loadPackage<Grpc>('@grpc/grpc-js');
  const loader = await loadPackage<ProtoLoader>('@grpc/proto-loader');
  const packer = openPacker(await loadPackage<Msgpack>('@msgpack/msgpack'));
  const options = { keepCase: true, longs: Number, enums: String, defaults: true };
  const definition = loader.loadSync(join(import.meta.dirname, 'plugin.proto'), options);
  const { service } = grpc.loadPackageDefinition(definition).tfplugin6.Provider;
  await using stack = new AsyncDisposableStack();
  const reattach: Row = {};
  for (const [name, resources] of Object.entries(SCHEMAS)) {
    const server = new grpc.Server();
    stack.defer(() => server.forceShutdown());
    server.addService(service, methodsOf(resources, packer));
    const port = await new Promise<number>((resolve, reject) => {
      const credentials = grpc.ServerCredentials.createInsecure();
      server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error === null ? resolve(bound) : reject(error)));
    });
    const place = { Protocol: 'grpc', ProtocolVersion: 6, Pid: process.pid, Test: true };
    reattach[`registry.terraform.io/hashicorp/${name}`] = {
      ...place,
      Addr: { Network: 'tcp', String: `127.0.0.1:${port}` },
    };
  }
  const kept = stack.move();
  return { env: { TF_REATTACH_PROVIDERS: JSON.stringify(reattach) }, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
