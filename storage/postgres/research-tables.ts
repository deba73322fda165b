import type { Generated } from 'kysely';
import type { AdvisorSlot } from '#core/research/advice.ts';
import type { AiProviderName, CredentialKind } from '#core/installation/ai-provider.ts';
import type { ProfileId, UserId } from '#core/ids.ts';
import type { Json, JsonOrDefault, NullableJson, NullableTime, TimeOrDefault } from './columns.ts';

/* Row types of backtests, sweeps, checks of live trading and the advisor. */

interface ResearchColumns {
  id: string;
  profile_id: ProfileId;
  state: Generated<'queued' | 'running' | 'done' | 'failed' | 'aborted'>;
  strategy_name: string;
  config: Json;
  request: Json;
  warnings: JsonOrDefault;
  error: string | null;
  created_at: TimeOrDefault;
  finished_at: NullableTime;
}

interface BacktestRunsTable extends ResearchColumns {
  pinned: Generated<boolean>;
  config_fingerprints: JsonOrDefault;
  results: JsonOrDefault;
  pinned_at: NullableTime;
  robustness: NullableJson;
}

interface SweepsTable extends ResearchColumns {
  sets: number;
  result: NullableJson;
}

interface SweepUnitsTable {
  sweep_id: string;
  stage: number;
  number: number;
  sets: Json;
  evaluated: NullableJson;
  worker: string | null;
  done_at: NullableTime;
}

interface TrialLedgerTable {
  source_id: string;
  strategy_name: string;
  symbol: string;
  trials: number;
  at: TimeOrDefault;
}

interface LiveComparisonsTable {
  profile_id: ProfileId;
  requested_at: NullableTime;
  error: string | null;
  reference: NullableJson;
  day: NullableJson;
}

interface AdvisorSlotsTable {
  run_id: string;
  slot: AdvisorSlot;
  ask_id: string;
  state: 'running' | 'done' | 'failed';
  taken_at: NullableTime;
  model: string | null;
  advice: JsonOrDefault;
  error: string | null;
  asked_at: TimeOrDefault;
  finished_at: NullableTime;
}

interface AiProviderConfigTable {
  user_id: UserId;
  provider: AiProviderName;
  base_url: string;
  model: string;
  credential_kind: CredentialKind | null;
  credential: string | null;
  updated_at: TimeOrDefault;
}

export interface ResearchTables {
  backtest_advisor_slots: AdvisorSlotsTable;
  ai_provider_config: AiProviderConfigTable;
  backtest_runs: BacktestRunsTable;
  sweeps: SweepsTable;
  sweep_units: SweepUnitsTable;
  trial_ledger: TrialLedgerTable;
  live_comparisons: LiveComparisonsTable;
}
