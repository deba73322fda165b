import type { ColumnType, Generated } from 'kysely';
import type { Endpoint, ExchangeMode } from '#core/account/account.ts';
import type { AdjustmentReason } from '#core/position/cost-basis.ts';
import type { HaltScope } from '#core/account/halts.ts';
import type { AccountId, OrderId, ProfileId, SessionId, UserId } from '#core/ids.ts';
import type { LedgerRow } from '#core/position/ledger.ts';
import type { ActionState } from '#core/order/operator-action.ts';
import type { AuditActor } from '#core/installation/audit-actor.ts';
import type { NotifierName } from '#core/installation/notify.ts';
import type { EvidenceKind } from '#core/order/order-evidence.ts';
import type { OrderForm, OrderPurpose, OrderState, Side } from '#core/order/order.ts';
import type { LogLevel } from '#core/ports/records.ts';
import type { AccessTables } from './access-tables.ts';
import type { HistoryTables } from './history-tables.ts';
import type { NotificationTables } from './notification-tables.ts';
import type { ResearchTables } from './research-tables.ts';
import type { OrphanOrdersTable } from './orphan-orders-table.ts';
import type {
  Bigint,
  BigintOrDefault,
  Json,
  JsonOrDefault,
  NullableJson,
  NullableTime,
  NumericOrDefault,
  Time,
  TimeOrDefault,
} from './columns.ts';

interface UsersTable {
  id: UserId;
  master: Generated<boolean>;
  email: string;
  password_hash: string;
  timezone: Generated<string>;
  created_at: TimeOrDefault;
}

interface SessionsTable {
  id: SessionId;
  user_id: UserId;
  token_hash: Buffer;
  created_at: TimeOrDefault;
  expires_at: Time;
  last_used_at: TimeOrDefault;
  ip: string;
  user_agent: Generated<string>;
}

interface AccountsTable {
  id: AccountId;
  user_id: UserId;
  name: string;
  binance_mode: ExchangeMode;
  endpoint: Generated<Endpoint>;
  epoch: Generated<number>;
  risk_limits: JsonOrDefault;
  reset_at: NullableTime;
  created_at: TimeOrDefault;
}

interface ApiKeysTable {
  account_id: AccountId;
  label: Generated<string>;
  api_key: string;
  secret: string;
  /** Another account also has the key, from before keys had to be unique; the status stays `error`. */
  shared: Generated<boolean>;
  status: 'healthy' | 'error' | null;
  cause: string | null;
  checked_at: NullableTime;
  updated_at: TimeOrDefault;
}

interface ProfilesTable {
  id: ProfileId;
  account_id: AccountId;
  name: string;
  strategy_name: string;
  config: Json;
  enabled: Generated<boolean>;
  capture_until: NullableTime;
  risk_limits: JsonOrDefault;
  discovery: JsonOrDefault;
  gate_bars: JsonOrDefault;
  created_at: TimeOrDefault;
  updated_at: TimeOrDefault;
}

interface ProfileSymbolsTable {
  profile_id: ProfileId;
  /** The account of the profile; a trigger fills it. */
  on_account: ColumnType<AccountId, never, never>;
  symbol: string;
  override_config: JsonOrDefault;
  paused_until: NullableTime;
  paused_at: NullableTime;
  pause_reason: Generated<string>;
  created_at: TimeOrDefault;
}

interface KillSwitchesTable {
  scope: HaltScope;
  subject: string;
  reason: Generated<string>;
  freeze_exits: Generated<boolean>;
  cancel_entries: Generated<boolean>;
  engaged_by: UserId | null;
  engaged_at: TimeOrDefault;
  halt_order: Bigint;
}

/** A view of everything that stops entries. */
interface HaltsView
  extends Pick<KillSwitchesTable, 'scope' | 'subject' | 'reason' | 'freeze_exits' | 'cancel_entries' | 'engaged_at'> {
  is_reset: boolean;
}

interface AccountLeasesTable {
  account_id: AccountId;
  holder: string;
  fencing: Bigint;
  expires_at: Time;
}

export interface RunnerStatesTable {
  profile_id: ProfileId;
  symbol: string;
  version: BigintOrDefault;
  order_sequence: BigintOrDefault;
  strategy_state: NullableJson;
  quantity: NumericOrDefault;
  average_price: NumericOrDefault;
  /** Cost of the held quantity, buy fees included. */
  cost: NumericOrDefault;
  peak_quantity: NumericOrDefault;
  cycle: Generated<number>;
  cycle_net: NumericOrDefault;
  filled_quote: NumericOrDefault;
  first_buy_at: NullableTime;
  last_fill_at: NullableTime;
  cooldown_until: NullableTime;
  last_cycle_net: string | null;
  asked_price: string | null;
  asked_quantity: string | null;
  cost_basis_note: string | null;
  compared: Generated<boolean>;
}

/** A view. */
export interface CostBasisTable {
  profile_id: ProfileId;
  symbol: string;
  average_price: string;
  quantity: string;
  note: string | null;
}

interface PositionAdjustmentsTable {
  profile_id: ProfileId;
  symbol: string;
  runner_version: Bigint;
  reason: AdjustmentReason;
  average_price: string;
  quantity: string;
  held: boolean;
  at: Time;
  recorded_at: TimeOrDefault;
}

export interface OrdersTable {
  id: OrderId;
  account_id: AccountId;
  epoch: number;
  profile_id: ProfileId;
  symbol: string;
  side: Side;
  purpose: OrderPurpose;
  type: OrderForm['type'];
  quantity: string;
  price: string | null;
  stop_price: string | null;
  trailing_delta: number | null;
  client_order_id: string;
  exchange_order_id: string | null;
  state: OrderState;
  reason: string;
  decision: Json;
  filled_quantity: NumericOrDefault;
  filled_quote: NumericOrDefault;
  fencing: Bigint;
  halt_order: Bigint;
  send_before: Time;
  payload: NullableJson;
  action_id: string | null;
  created_at: Time;
  updated_at: Time;
  recorded_at: TimeOrDefault;
}

export interface FillsTable {
  account_id: AccountId;
  epoch: number;
  symbol: string;
  trade_id: string;
  exchange_order_id: string;
  order_id: OrderId;
  profile_id: ProfileId;
  side: Side;
  price: string;
  quantity: string;
  quote_quantity: string;
  fee_amount: string;
  fee_asset: string | null;
  fee_quote: ColumnType<string | null, string | null | undefined, string | null>;
  maker: boolean;
  realised: string;
  cycle: number;
  runner_version: Bigint;
  at: Time;
  recorded_at: TimeOrDefault;
}

interface LedgerEntriesTable {
  id: string;
  account_id: AccountId;
  epoch: number;
  profile_id: ProfileId | null;
  symbol: string | null;
  book: LedgerRow['book'];
  asset: string;
  amount: string;
  reason: LedgerRow['reason'];
  trade_id: string | null;
  at: Time;
  recorded_at: TimeOrDefault;
}

interface ClosedCyclesTable {
  profile_id: ProfileId;
  symbol: string;
  cycle: number;
  opened_at: Time;
  closed_at: Time;
  net: string;
  exit_reason: ColumnType<string | null, string | null | undefined, string | null>;
}

interface ActionLogsTable {
  id: string;
  profile_id: ProfileId;
  symbol: string | null;
  level: LogLevel;
  msg: string;
  ctx: JsonOrDefault;
  count: BigintOrDefault;
  first_at: Time;
  last_at: Time;
  recorded_at: TimeOrDefault;
}

interface AuditLogsTable {
  id: string;
  user_id: UserId | null;
  action: string;
  subject: string;
  before: NullableJson;
  after: NullableJson;
  ip: string;
  user_agent: Generated<string>;
  at: TimeOrDefault;
  actor: ColumnType<AuditActor | null, string | null | undefined, string | null>;
}

interface OperatorActionsTable {
  id: string;
  account_id: AccountId;
  profile_id: ProfileId | null;
  symbol: string | null;
  kind: string;
  payload: JsonOrDefault;
  requested_by: UserId | null;
  requested_at: TimeOrDefault;
  expires_at: Time;
  state: Generated<ActionState>;
  fencing: ColumnType<string | null, string | undefined, string>;
  reason: string | null;
  detail: JsonOrDefault;
  finished_at: NullableTime;
}

interface OrderEvidenceTable {
  id: string;
  order_id: OrderId;
  kind: EvidenceKind;
  at: Time;
  detail: Json;
}

interface ProfileConfigsTable {
  profile_id: ProfileId;
  version: number;
  strategy_name: string;
  config: Json;
  at: TimeOrDefault;
}

interface ServiceSettingsTable {
  name: string;
  value: Json;
  updated_at: TimeOrDefault;
}

interface ProfileNotifiersTable {
  profile_id: ProfileId;
  provider: NotifierName;
  enabled: boolean;
  config: Json;
  secrets: Json;
  updated_at: TimeOrDefault;
}

interface EquitySnapshotsTable {
  profile_id: ProfileId;
  at: Time;
  realised: string;
  position_value: string;
  position_cost: string;
  prices: Json;
}

interface PruneReceiptsTable {
  id: string;
  at: TimeOrDefault;
  ok: boolean;
  error: string | null;
  deleted: Json;
  settings: Json;
}

interface DiagnosisRunsTable {
  id: string;
  profile_id: ProfileId;
  status: 'queued' | 'running' | 'done' | 'error';
  report: NullableJson;
  error: string | null;
  started_at: TimeOrDefault;
  finished_at: NullableTime;
}

interface SchemaMigrationsTable {
  number: number;
  name: string;
  digest: string;
  breaking: boolean;
  applied_at: TimeOrDefault;
}

export interface Tables extends AccessTables, ResearchTables, HistoryTables, NotificationTables {
  users: UsersTable;
  sessions: SessionsTable;
  accounts: AccountsTable;
  api_keys: ApiKeysTable;
  profiles: ProfilesTable;
  profile_symbols: ProfileSymbolsTable;
  kill_switches: KillSwitchesTable;
  halts: HaltsView;
  account_leases: AccountLeasesTable;
  runner_states: RunnerStatesTable;
  cost_basis: CostBasisTable;
  position_adjustments: PositionAdjustmentsTable;
  orders: OrdersTable;
  fills: FillsTable;
  ledger_entries: LedgerEntriesTable;
  orphan_orders: OrphanOrdersTable;
  closed_cycles: ClosedCyclesTable;
  action_logs: ActionLogsTable;
  audit_logs: AuditLogsTable;
  operator_actions: OperatorActionsTable;
  order_evidence: OrderEvidenceTable;
  profile_configs: ProfileConfigsTable;
  service_settings: ServiceSettingsTable;
  profile_notifiers: ProfileNotifiersTable;
  equity_snapshots: EquitySnapshotsTable;
  prune_receipts: PruneReceiptsTable;
  diagnosis_runs: DiagnosisRunsTable;
  schema_migrations: SchemaMigrationsTable;
}
