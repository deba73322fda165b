import { constants, setPriority } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { BEHAVIOURS } from './behaviours.ts';
import { secretPattern, Visitor } from './visitor.ts';

/*
 * All visitors, in a separate process. The test forks it, sends the target, then the time to flood. The process answers
 * once it has tried each behaviour, then with the report. It runs at the lowest priority: an attacker from outside takes
 * no processor time from the service.
 */

const target = z.object({
  url: z.string(),
  accountId: z.string(),
  profileIds: z.array(z.string()),
  symbols: z.array(z.string()),
  secrets: z.array(z.string()),
  keys: z.array(z.string()),
});
const message = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('start'), target }),
  z.object({ kind: z.literal('flood'), seconds: z.number() }),
]);

/** The result of each behaviour: rounds, answers by status, and data of the operator that it read. */
export const attackReport = z.object({
  behaviours: z.array(
    z.object({
      name: z.string(),
      rounds: z.number(),
      answers: z.record(z.string(), z.number()),
      leaks: z.array(z.string()),
      errors: z.array(z.string()),
    }),
  ),
});
export type AttackReport = z.output<typeof attackReport>;

/** A behaviour that only ever receives "too many requests" has attacked nothing. */
const GETS_THROUGH_MS = 60_000;
const ROUND_MS = 20_000;

interface Attacker {
  readonly name: string;
  readonly visitor: Visitor;
  readonly errors: string[];
  rounds: number;
}

const reached = ({ visitor }: Attacker): boolean =>
  [...visitor.answers.keys()].some((status) => status !== 0 && status !== 429);

async function round(attacker: Attacker): Promise<void> {
  const run = BEHAVIOURS[attacker.name];
  const limit = new AbortController();
  try {
    await Promise.race([run?.(attacker.visitor), delay(ROUND_MS, undefined, { signal: limit.signal })]);
  } catch (error) {
    if (attacker.errors.length < 3) attacker.errors.push(String(error));
  } finally {
    limit.abort();
  }
  attacker.rounds += 1;
}

async function once(attacker: Attacker): Promise<void> {
  const endMs = performance.now() + GETS_THROUGH_MS;
  do {
    await round(attacker);
    if (!reached(attacker)) await delay(500);
  } while (!reached(attacker) && performance.now() < endMs);
}

async function flood(attacker: Attacker, endMs: number): Promise<void> {
  attacker.visitor.flooding = true;
  while (performance.now() < endMs) {
    await round(attacker);
    await delay(1);
  }
}

const report = (attackers: readonly Attacker[]): AttackReport => ({
  behaviours: attackers.map(({ name, visitor, rounds, errors }) => ({
    ...{ name, rounds, errors, leaks: visitor.leaks },
    answers: Object.fromEntries(visitor.answers),
  })),
});

setPriority(constants.priority.PRIORITY_LOW);
let attackers: Attacker[] = [];
const say = (text: object): void => void process.send?.(text);

async function obey(raw: unknown): Promise<void> {
  const told = message.parse(raw);
  if (told.kind === 'start') {
    const pattern = secretPattern(told.target);
    attackers = Object.keys(BEHAVIOURS).map((name, i) => ({
      ...{ name, errors: [], rounds: 0 },
      visitor: new Visitor(told.target, { address: `198.18.7.${i + 1}`, pattern }),
    }));
    for (const attacker of attackers) await once(attacker);
    say({ kind: 'everything was tried once' });
    return;
  }
  const endMs = performance.now() + told.seconds * 1000;
  await Promise.all(attackers.map((attacker) => flood(attacker, endMs)));
  for (const { visitor } of attackers) visitor.close();
  say(report(attackers));
}

process.on('message', (raw) => {
  obey(raw).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
process.on('disconnect', () => process.exit(0));
