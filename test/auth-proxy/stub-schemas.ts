/** An attribute of a resource: its type in the words of the plugin protocol, and who sets it. */
interface Attribute {
  readonly name: string;
  readonly type: Buffer;
  readonly required: boolean;
  readonly optional: boolean;
  readonly computed: boolean;
  readonly sensitive: boolean;
}

export interface Block {
  readonly attributes: readonly Attribute[];
  readonly block_types: readonly { type_name: string; nesting: 'LIST'; min_items: 1; max_items: 1; block: Block }[];
}

const TEXTS = ['map', 'string'];

/** `r` required, `o` optional, `c` computed, `s` sensitive. */
const attribute = (name: string, flags: string, type: unknown = 'string'): Attribute => ({
  name,
  type: Buffer.from(JSON.stringify(type)),
  required: flags.includes('r'),
  optional: flags.includes('o'),
  computed: flags.includes('c'),
  sensitive: flags.includes('s'),
});

const METADATA: Block = {
  attributes: [
    attribute('name', 'oc'),
    attribute('namespace', 'o'),
    attribute('labels', 'o', TEXTS),
    attribute('annotations', 'o', TEXTS),
    attribute('uid', 'c'),
  ],
  block_types: [],
};
const described = (...attributes: Attribute[]): Block => ({
  attributes: [attribute('id', 'c'), ...attributes],
  block_types: [{ type_name: 'metadata', nesting: 'LIST', min_items: 1, max_items: 1, block: METADATA }],
});
const plain = (...attributes: Attribute[]): Block => ({ attributes, block_types: [] });
const bools = (...names: string[]): Attribute[] => names.map((name) => attribute(name, 'oc', 'bool'));

/** The resources that the stubs accept: the attributes that the module uses and their neighbours. */
export const SCHEMAS: Readonly<Record<string, Readonly<Record<string, Block>>>> = {
  kubernetes: {
    kubernetes_namespace_v1: described(attribute('wait_for_default_service_account', 'o', 'bool')),
    kubernetes_secret_v1: described(
      attribute('data', 'os', TEXTS),
      attribute('binary_data', 'os', TEXTS),
      attribute('type', 'o'),
      attribute('immutable', 'o', 'bool'),
    ),
  },
  helm: {
    helm_release: plain(
      ...['name', 'chart'].map((name) => attribute(name, 'r')),
      ...['version', 'namespace'].map((name) => attribute(name, 'oc')),
      ...bools('atomic', 'cleanup_on_fail', 'create_namespace', 'wait'),
      attribute('id', 'c'),
      attribute('repository', 'o'),
      attribute('timeout', 'oc', 'number'),
      attribute('values', 'o', ['list', 'string']),
      attribute('status', 'c'),
    ),
  },
  random: {
    random_bytes: plain(
      attribute('length', 'r', 'number'),
      attribute('keepers', 'o', TEXTS),
      attribute('base64', 'cs'),
      attribute('hex', 'cs'),
    ),
  },
};
