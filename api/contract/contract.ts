import * as accountState from './account-state.ts';
import * as accounts from './accounts.ts';
import * as advisor from './advisor.ts';
import * as aiProvider from './ai-provider.ts';
import * as actions from './actions.ts';
import * as backup from './backup.ts';
import * as capture from './capture.ts';
import * as health from './health.ts';
import * as diagnosis from './diagnosis.ts';
import * as discovery from './discovery.ts';
import * as halts from './halts.ts';
import * as history from './history.ts';
import * as liveChecks from './live-checks.ts';
import * as manual from './manual.ts';
import * as jobs from './jobs.ts';
import * as market from './market.ts';
import * as notifiers from './notifiers.ts';
import type { Operation } from './operation.ts';
import * as orphans from './orphans.ts';
import * as profileConfigs from './profile-configs.ts';
import * as profiles from './profiles.ts';
import * as proof from './proof.ts';
import * as records from './records.ts';
import * as reference from './reference.ts';
import * as research from './research.ts';
import * as risk from './risk.ts';
import * as session from './session.ts';
import * as sessions from './sessions.ts';
import * as trades from './trades.ts';
import * as upkeep from './upkeep.ts';

const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value;

/** Every operation of the API, for tests over all routes and the reference. */
export const OPERATIONS: readonly Operation[] = [
  reference,
  health,
  session,
  sessions,
  accounts,
  accountState,
  actions,
  halts,
  orphans,
  risk,
  profiles,
  manual,
  profileConfigs,
  proof,
  capture,
  notifiers,
  backup,
  diagnosis,
  records,
  market,
  discovery,
  jobs,
  trades,
  history,
  upkeep,
  research,
  liveChecks,
  advisor,
  aiProvider,
].flatMap((family) => Object.values(family).filter(isOperation));
