import type { Generated } from 'kysely';
import type { ProfileId } from '#core/ids.ts';
import type { Json, JsonOrDefault, NullableJson, NullableTime, TimeOrDefault } from './tables.ts';

/* Row types of backtests, sweeps and checks of live trading. */

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

interface ProfileReportsTable {
  profile_id: ProfileId;
  kind: 'drift' | 'shadow';
  requested_at: NullableTime;
  error: string | null;
  report: NullableJson;
}

export interface ResearchTables {
  backtest_runs: BacktestRunsTable;
  sweeps: SweepsTable;
  sweep_units: SweepUnitsTable;
  trial_ledger: TrialLedgerTable;
  profile_reports: ProfileReportsTable;
}
