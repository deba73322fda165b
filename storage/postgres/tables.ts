import type { ColumnType, Generated } from 'kysely';
import type { HaltScope } from '#core/account/halts.ts';
import type { AccountId, OrderId, ProfileId, SessionId, TokenId, UserId } from '#core/ids.ts';
import type { AuditActor } from '#core/installation/audit-actor.ts';
import type { ChannelName, NotifierName } from '#core/installation/notify.ts';
import type { TokenScope } from '#core/installation/token-scopes.ts';
import type { EvidenceKind } from '#core/order/order-evidence.ts';
import type { OrderForm, OrderState } from '#core/order/order.ts';
import type { AdjustmentReason } from '#core/position/cost-basis.ts';
import type { LedgerRow } from '#core/position/ledger.ts';
import type { StoredResult } from '#core/research/backtest-result.ts';
import type { StoredRunRequest, SweepRequest } from '#core/research/research.ts';
import type {
  Bigint,
  BigintOrDefault,
  Json,
  JsonOrDefault,
  NullableBigint,
  NullableJson,
  NullableTime,
  Time,
  TimeOrDefault,
} from './columns.ts';

/* Made from the migrations: `WRITE_TABLES=1 npm test -- test/schema` writes it. Views are tables that are never written. */

export interface Tables {
  account_leases: {
    account_id: AccountId;
    holder: string;
    fencing: Bigint;
    expires_at: Time;
  };
  account_notifiers: {
    id: string;
    account_id: AccountId;
    provider: ChannelName;
    label: string;
    enabled: boolean;
    config: Json;
    secrets: Json;
    updated_at: TimeOrDefault;
  };
  accounts: {
    id: AccountId;
    user_id: UserId;
    name: string;
    binance_mode: 'live' | 'testnet';
    endpoint: Generated<'exchange' | 'demo' | 'paper'>;
    epoch: Generated<number>;
    created_at: TimeOrDefault;
    risk_limits: JsonOrDefault;
    reset_at: NullableTime;
  };
  action_logs: {
    id: string;
    profile_id: ProfileId;
    symbol: string | null;
    level: 'debug' | 'info' | 'warn' | 'error';
    msg: string;
    ctx: JsonOrDefault;
    count: BigintOrDefault;
    first_at: Time;
    last_at: Time;
    recorded_at: TimeOrDefault;
  };
  ai_provider_config: {
    user_id: UserId;
    provider: 'anthropic' | 'openai-compatible';
    base_url: string;
    model: string;
    credential_kind: 'console-key' | 'oauth-token' | 'endpoint-key' | null;
    credential: string | null;
    updated_at: TimeOrDefault;
  };
  api_keys: {
    account_id: AccountId;
    label: Generated<string>;
    api_key: string;
    secret: string;
    status: 'healthy' | 'error' | null;
    cause: string | null;
    checked_at: NullableTime;
    updated_at: TimeOrDefault;
    shared: Generated<boolean>;
  };
  api_tokens: {
    id: TokenId;
    user_id: UserId;
    name: string;
    token_hash: Buffer;
    hint: string;
    scopes: TokenScope[];
    account_ids: AccountId[] | null;
    created_at: Time;
    expires_at: Time;
    last_used_at: NullableTime;
    last_ip: string | null;
    revoked_at: NullableTime;
    budget_asset: string | null;
    budget_order: string | null;
    budget_day: string | null;
    max_open_proposals: Generated<number>;
  };
  archived_fills: {
    account_id: AccountId;
    epoch: number;
    symbol: string;
    trade_id: string;
    exchange_order_id: string;
    side: 'buy' | 'sell';
    price: string;
    quantity: string;
    quote_quantity: string;
    fee_amount: string;
    fee_asset: string | null;
    maker: boolean;
    at: Time;
    recorded_at: TimeOrDefault;
  };
  audit_logs: {
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
  };
  backtest_advisor_slots: {
    run_id: string;
    slot: 'safe' | 'ride-trend' | 'trade-more' | 'aggressive' | 'defensive' | 'manual';
    ask_id: string;
    state: 'running' | 'done' | 'failed';
    taken_at: NullableTime;
    model: string | null;
    advice: JsonOrDefault;
    error: string | null;
    asked_at: TimeOrDefault;
    finished_at: NullableTime;
  };
  chat: {
    one: Generated<boolean>;
    user_id: UserId;
    bot_token: string;
    server_url: string;
    chat_id: string;
    user_ids: string[];
    enabled: boolean;
    since: TimeOrDefault;
    handled_update: BigintOrDefault;
    handled_at: TimeOrDefault;
    answered_update: BigintOrDefault;
    ignored: BigintOrDefault;
    problem: string | null;
    code_hash: Buffer | null;
    code_intent: NullableJson;
    code_expires_at: NullableTime;
    code_tries: Generated<number>;
  };
  closed_cycles: {
    profile_id: ProfileId;
    symbol: string;
    cycle: number;
    opened_at: Time;
    closed_at: Time;
    net: string;
    exit_reason: string | null;
  };
  closed_totals: {
    profile_id: ProfileId;
    slot: Time;
    trades: number;
    wins: number;
    losses: number;
    net: string;
    gross_profit: string;
    gross_loss: string;
  };
  cost_basis: {
    profile_id: ProfileId;
    symbol: string;
    average_price: string;
    quantity: string;
    note: string | null;
  };
  decisions: {
    id: string;
    profile_id: ProfileId;
    symbol: string;
    reason: string;
    refused: boolean;
    count: Bigint;
    away: string | null;
    first_at: Time;
    last_at: Time;
  };
  diagnosis_runs: {
    id: string;
    profile_id: ProfileId;
    status: 'queued' | 'running' | 'done' | 'error';
    report: NullableJson;
    error: string | null;
    started_at: TimeOrDefault;
    finished_at: NullableTime;
  };
  discovery_cycles: {
    id: string;
    profile_id: ProfileId;
    at: Time;
    error: string | null;
    result: Json;
  };
  dry_runs: {
    id: string;
    profile_id: ProfileId;
    state: Generated<'running' | 'finished' | 'promoted' | 'dropped' | 'failed'>;
    strategy_name: string;
    version: number;
    present: Json;
    changed: Json;
    coins: Json;
    decisions: number;
    warnings: JsonOrDefault;
    opening: NullableJson;
    result: NullableJson;
    evaluated_to: NullableTime;
    error: string | null;
    started_at: TimeOrDefault;
    ended_at: NullableTime;
  };
  equity_snapshots: {
    profile_id: ProfileId;
    at: Time;
    realised: string;
    position_value: string;
    position_cost: string;
    prices: Json;
  };
  fee_adjustments: {
    account_id: AccountId;
    epoch: number;
    symbol: string;
    trade_id: string;
    exchange_order_id: string;
    run_id: string;
    fee_amount: string;
    fee_asset: string | null;
    fee_quote: string | null;
    recorded_at: TimeOrDefault;
  };
  fills: {
    account_id: AccountId;
    epoch: number;
    symbol: string;
    trade_id: string;
    exchange_order_id: string;
    order_id: OrderId;
    profile_id: ProfileId;
    side: 'buy' | 'sell';
    price: string;
    quantity: string;
    quote_quantity: string;
    fee_amount: string;
    fee_asset: string | null;
    fee_quote: string | null;
    maker: boolean;
    realised: string;
    cycle: number;
    runner_version: Bigint;
    at: Time;
    recorded_at: TimeOrDefault;
  };
  halts: {
    scope: HaltScope;
    subject: string;
    reason: string;
    freeze_exits: boolean;
    cancel_entries: boolean;
    engaged_at: Time;
    is_reset: boolean;
  };
  kill_switches: {
    scope: 'all' | 'account' | 'profile';
    subject: string;
    reason: Generated<string>;
    freeze_exits: Generated<boolean>;
    engaged_by: UserId | null;
    engaged_at: TimeOrDefault;
    halt_order: Bigint;
    cancel_entries: Generated<boolean>;
  };
  ledger_entries: {
    id: string;
    account_id: AccountId;
    epoch: number;
    profile_id: ProfileId | null;
    symbol: string | null;
    book: 'wallet' | 'market' | 'fees' | 'adjustments' | 'outside';
    asset: string;
    amount: string;
    reason: LedgerRow['reason'];
    trade_id: string | null;
    at: Time;
    recorded_at: TimeOrDefault;
  };
  live_comparisons: {
    profile_id: ProfileId;
    requested_at: NullableTime;
    error: string | null;
    reference: NullableJson;
    day: NullableJson;
  };
  notification_deliveries: {
    id: string;
    account_id: AccountId;
    at: TimeOrDefault;
    event: string;
    title: string;
    channel: string;
    error: string | null;
  };
  operator_actions: {
    id: string;
    account_id: AccountId;
    profile_id: ProfileId | null;
    symbol: string | null;
    kind: string;
    payload: JsonOrDefault;
    requested_by: UserId | null;
    requested_at: TimeOrDefault;
    expires_at: Time;
    state: Generated<'pending' | 'taken' | 'done' | 'refused' | 'expired'>;
    fencing: NullableBigint;
    reason: string | null;
    detail: JsonOrDefault;
    finished_at: NullableTime;
    proposal_id: string | null;
  };
  order_evidence: {
    id: string;
    order_id: OrderId;
    kind: EvidenceKind;
    at: Time;
    detail: Json;
  };
  orders: {
    id: OrderId;
    account_id: AccountId;
    epoch: number;
    profile_id: ProfileId;
    symbol: string;
    side: 'buy' | 'sell';
    purpose: 'entry' | 'exit' | 'stop' | 'target' | 'manual';
    type: OrderForm['type'];
    quantity: string;
    price: string | null;
    stop_price: string | null;
    client_order_id: string;
    exchange_order_id: string | null;
    state: OrderState;
    reason: string;
    decision: Json;
    filled_quantity: Generated<string>;
    filled_quote: Generated<string>;
    fencing: Bigint;
    halt_order: Bigint;
    send_before: Time;
    payload: NullableJson;
    created_at: Time;
    updated_at: Time;
    recorded_at: TimeOrDefault;
    trailing_delta: number | null;
    action_id: string | null;
    list_id: string | null;
  };
  orphan_orders: {
    account_id: AccountId;
    symbol: string;
    exchange_order_id: string;
    client_order_id: string;
    side: 'buy' | 'sell';
    type: string;
    price: string;
    stop_price: string;
    quantity: string;
    filled_quantity: string;
    list_id: string | null;
    base_asset: string | null;
    locked_asset: string | null;
    locked_amount: string;
    placed_at: Time;
    first_seen_at: TimeOrDefault;
    last_seen_at: TimeOrDefault;
    state: Generated<'open' | 'left' | 'adopted' | 'cancelled' | 'gone'>;
    state_at: TimeOrDefault;
  };
  position_adjustments: {
    profile_id: ProfileId;
    symbol: string;
    runner_version: Bigint;
    reason: AdjustmentReason;
    average_price: string;
    quantity: string;
    held: boolean;
    at: Time;
    recorded_at: TimeOrDefault;
  };
  position_history: {
    account_id: AccountId;
    profile_id: ProfileId;
    symbol: string;
    at: Time;
    version: Bigint;
    quantity: string;
    cost: string;
    cost_change: string;
    cycle: number;
    is_open: boolean;
    open_change: number;
    cycle_net: string;
    realised: string;
    fees: string;
    unvalued_fees: Bigint;
  };
  price_alerts: {
    id: string;
    account_id: AccountId;
    symbol: string;
    kind: 'above' | 'below' | 'move';
    price: string | null;
    percent: string | null;
    minutes: number | null;
    ready: Generated<boolean>;
    triggered_at: NullableTime;
    triggered_price: string | null;
    armed_at: TimeOrDefault;
    created_at: TimeOrDefault;
  };
  profile_configs: {
    profile_id: ProfileId;
    version: number;
    strategy_name: string;
    config: Json;
    at: TimeOrDefault;
  };
  profile_notifiers: {
    profile_id: ProfileId;
    provider: NotifierName;
    enabled: boolean;
    config: Json;
    secrets: Json;
    updated_at: TimeOrDefault;
  };
  profile_runs: {
    id: string;
    profile_id: ProfileId;
    kind: 'fees' | 'archive';
    status: Generated<'queued' | 'running' | 'done' | 'error'>;
    request: JsonOrDefault;
    report: NullableJson;
    error: string | null;
    started_at: TimeOrDefault;
    finished_at: NullableTime;
  };
  profile_symbols: {
    profile_id: ProfileId;
    symbol: string;
    override_config: JsonOrDefault;
    created_at: TimeOrDefault;
    paused_until: NullableTime;
    paused_at: NullableTime;
    pause_reason: Generated<string>;
    on_account: ColumnType<AccountId, never, never>;
  };
  profiles: {
    id: ProfileId;
    account_id: AccountId;
    name: string;
    strategy_name: string;
    config: Json;
    enabled: Generated<boolean>;
    capture_until: NullableTime;
    created_at: TimeOrDefault;
    updated_at: TimeOrDefault;
    risk_limits: JsonOrDefault;
    gate_bars: JsonOrDefault;
    discovery: JsonOrDefault;
  };
  proposals: {
    id: string;
    token_id: TokenId;
    account_id: AccountId;
    profile_id: ProfileId;
    symbol: string;
    kind: string;
    payload: Json;
    intent_hash: Buffer;
    quote_asset: string;
    quote: string | null;
    reason: string;
    preview_id: string;
    state: Generated<'open' | 'approved' | 'denied' | 'cancelled'>;
    proposed_at: TimeOrDefault;
    expires_at: Time;
    decided_at: NullableTime;
    decided_by: UserId | null;
    announced_at: NullableTime;
  };
  prune_receipts: {
    id: string;
    at: TimeOrDefault;
    ok: boolean;
    error: string | null;
    deleted: Json;
    settings: Json;
  };
  push_keys: {
    single: Generated<boolean>;
    public_key: string;
    private_key: string;
    created_at: TimeOrDefault;
  };
  research: {
    id: string;
    profile_id: ProfileId;
    kind: 'backtest' | 'sweep';
    state: Generated<'queued' | 'running' | 'done' | 'failed' | 'aborted'>;
    strategy_name: string;
    config: Json;
    request: ColumnType<StoredRunRequest | SweepRequest, string, string>;
    warnings: JsonOrDefault;
    error: string | null;
    created_at: TimeOrDefault;
    finished_at: NullableTime;
    results: ColumnType<Record<string, StoredResult>, string | undefined, string>;
    config_fingerprints: ColumnType<Record<string, string>, string | undefined, string>;
    pinned: Generated<boolean>;
    pinned_at: NullableTime;
    robustness: NullableJson;
    sets: number | null;
    result: NullableJson;
  };
  runner_states: {
    profile_id: ProfileId;
    symbol: string;
    version: BigintOrDefault;
    order_sequence: BigintOrDefault;
    strategy_state: NullableJson;
    quantity: Generated<string>;
    average_price: Generated<string>;
    peak_quantity: Generated<string>;
    cycle: Generated<number>;
    cycle_net: Generated<string>;
    filled_quote: Generated<string>;
    first_buy_at: NullableTime;
    last_fill_at: NullableTime;
    cooldown_until: NullableTime;
    last_cycle_net: string | null;
    asked_price: string | null;
    asked_quantity: string | null;
    cost_basis_note: string | null;
    compared: Generated<boolean>;
    cost: Generated<string>;
  };
  schema_migrations: {
    number: number;
    name: string;
    digest: string;
    breaking: boolean;
    applied_at: TimeOrDefault;
  };
  service_settings: {
    name: string;
    value: Json;
    updated_at: TimeOrDefault;
  };
  sessions: {
    id: SessionId;
    user_id: UserId;
    token_hash: Buffer;
    created_at: TimeOrDefault;
    expires_at: Time;
    last_used_at: TimeOrDefault;
    ip: string;
    user_agent: Generated<string>;
  };
  signal_inlets: {
    id: string;
    profile_id: ProfileId;
    name: string;
    secret_hash: Buffer;
    max_age_seconds: number;
    created_at: TimeOrDefault;
    secret_at: TimeOrDefault;
  };
  signals: {
    id: string;
    inlet_id: string;
    inlet_name: string;
    profile_id: ProfileId;
    key: string;
    symbol: string;
    action: 'buy' | 'sell' | 'close';
    at: Time;
    received_at: TimeOrDefault;
    valid_until: Time;
    state: 'pending' | 'used' | 'ended' | 'refused';
    reason: string | null;
    numbers: JsonOrDefault;
    order_id: OrderId | null;
    ended_at: NullableTime;
  };
  strategy_declarations: {
    hash: string;
    settings_hash: string;
    declared: Json;
  };
  strategy_files: {
    file: string;
    hash: string;
    problem: string | null;
    changed_at: TimeOrDefault;
  };
  strategy_versions: {
    hash: string;
    name: string;
    file: string;
    source: string;
    description: Json;
    declared: Json;
    present: Generated<boolean>;
    certificate: NullableJson;
    quarantine: NullableJson;
    seen_at: TimeOrDefault;
    checked: NullableJson;
    check_requested_at: NullableTime;
  };
  sweep_units: {
    sweep_id: string;
    stage: number;
    number: number;
    sets: Json;
    evaluated: NullableJson;
    worker: string | null;
    done_at: NullableTime;
  };
  trial_ledger: {
    source_id: string;
    strategy_name: string;
    symbol: string;
    trials: number;
    at: TimeOrDefault;
  };
  users: {
    id: UserId;
    master: Generated<boolean>;
    email: string;
    password_hash: string;
    timezone: Generated<string>;
    created_at: TimeOrDefault;
  };
}
