import type { TradingStore } from '#core/ports/store.ts';
import { adoptOwnOrder } from './adopt-order.ts';
import { adjustPosition, readCostBasis } from './cost-basis.ts';
import type { Database } from '#storage/postgres/database.ts';
import { closeEpoch } from './epochs.ts';
import { applyFill, lastTradeId, newestThirdFee } from './fills.ts';
import { listHalts } from './halts.ts';
import { commitIntent } from './intents.ts';
import { acknowledgedOrders, findOrderByClientId, liveOrders, updateOrder } from './orders.ts';
import { bookOutside, ledgerBalance } from './ledger.ts';
import { levelFills } from './level-fills.ts';
import { orphanLocks } from './orphan-orders.ts';
import { readRisk } from './risk.ts';
import { answerSignal } from './signals.ts';
import { loadRunner, markReconciled, saveStrategyStates } from './runners.ts';

/** The engine's store on PostgreSQL. commitIntent throws CommitUnknown when the answer to COMMIT was lost. */
export const createTradingStore = (db: Database): TradingStore => ({
  loadRunner: (profileId, symbol) => loadRunner(db.kysely, { profileId, symbol }),
  levelFills: (profileId, symbol) => levelFills(db.kysely, { profileId, symbol }),
  commitIntent: (request) => commitIntent(db, request),
  answerSignal: (answer) => answerSignal(db.kysely, answer),
  updateOrder: (orderId, update) => updateOrder(db, orderId, update),
  applyFill: (request) => applyFill(db, request),
  lastTradeId: (runner) => lastTradeId(db.kysely, runner),
  newestThirdFee: (accountId) => newestThirdFee(db.kysely, accountId),
  liveOrders: (accountId) => liveOrders(db, accountId),
  findOrderByClientId: (accountId, clientOrderId) => findOrderByClientId(db, accountId, clientOrderId),
  markReconciled: (profileId, symbol) => markReconciled(db, { profileId, symbol }),
  saveStrategyStates: (states) => saveStrategyStates(db, states),
  halts: () => listHalts(db),
  risk: (accountId, now) => readRisk(db.kysely, accountId, now),
  costBasis: (profileId, symbol) => readCostBasis(db, { profileId, symbol }),
  adjustPosition: (request) => adjustPosition(db, request),
  orphanLocks: (accountId) => orphanLocks(db.kysely, accountId),
  acknowledgedOrders: (account, which) => acknowledgedOrders(db, account, which),
  closeEpoch: (request) => closeEpoch(db, request),
  ledgerBalance: (account) => ledgerBalance(db.kysely, account),
  bookOutside: (request) => bookOutside(db, request),
  adoptOwnOrder: (found) => adoptOwnOrder(db, found),
});
