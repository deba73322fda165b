import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCommand, readHours } from './command.ts';

const words = (text: string) => {
  const command = readCommand(text);
  return command?.kind === 'command' ? [command.name, ...command.words] : command?.kind;
};

test('a command is read with its words, in a group with the name of the bot too', () => {
  assert.deepEqual(words('/sell SOL My profile'), ['sell', 'SOL', 'My', 'profile']);
  assert.deepEqual(words(' /STATUS@tradewind_bot '), ['status']);
  assert.deepEqual(words('/why@bot SOL\n3d'), ['why', 'SOL', '3d']);
});

test('the link of a proposal is the command with its id', () => {
  assert.deepEqual(words('/approve_1a2b3c4d'), ['approve', '1a2b3c4d']);
});

test('six digits alone are a code', () => {
  assert.deepEqual(readCommand(' 012345 '), { kind: 'code', code: '012345' });
});

test('/start is the help', () => assert.deepEqual(words('/start'), ['help']));

test('a name that is no command is unknown', () => {
  assert.deepEqual(['/buy SOL', '/constructor', '/__proto__'].map(words), ['unknown', 'unknown', undefined]);
});

test('other text is no command', () => {
  for (const text of ['', 'hello', '12345', '1234567', 'stop /halt', '/']) assert.equal(readCommand(text), undefined);
});

test('a span has a unit and at most 92 days', () => {
  assert.deepEqual(['12h', '3d', '2W', '92d'].map(readHours), [12, 72, 336, 2208]);
  for (const text of ['', '3', '0h', '93d', '9999w', 'd', '1.5d', '-1d']) assert.equal(readHours(text), undefined);
});
