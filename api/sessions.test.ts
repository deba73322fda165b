import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { currentSession, signIn } from '#api/contract/session.ts';
import { changePassword, deleteSession, listSessions, revokeOtherSessions } from '#api/contract/sessions.ts';
import { cookieOf, EMAIL, openTestApi, PASSWORD, problemOf, type TestApi } from '#test/api/test-api.ts';

let api: TestApi;
let password = PASSWORD;
let addresses = 0;
before(async () => {
  api = await openTestApi();
  await api.signUp();
});
after(() => api[Symbol.asyncDispose]());

const tryIn = (text: string) =>
  api.send(
    signIn,
    { body: { email: EMAIL, password: text } },
    { headers: { 'x-forwarded-for': `10.1.0.${++addresses}`, 'user-agent': `browser ${addresses}` }, cookie: null },
  );
async function signedIn(): Promise<string> {
  const reply = await tryIn(password);
  assert.equal(reply.status, 200, reply.text);
  return cookieOf(reply) ?? '';
}
const isValid = async (cookie: string) => (await api.send(currentSession, {}, { cookie })).status === 200;
const audits = async (action: string) =>
  api.database.kysely.selectFrom('audit_logs').selectAll().where('action', '=', action).execute();

test('a wrong current password is 422 at currentPassword and changes nothing', async () => {
  const [own, other] = [await signedIn(), await signedIn()];
  const body = { currentPassword: 'not this one', newPassword: 'another long password' };
  const problem = await api.refusal(changePassword, { body }, { cookie: own });
  assert.deepEqual([problem.status, problem.errors?.map(({ path }) => path)], [422, ['currentPassword']]);
  assert.equal(await isValid(other), true);
  const short = { currentPassword: password, newPassword: 'short' };
  assert.equal((await api.refusal(changePassword, { body: short }, { cookie: own })).errors?.[0]?.path, 'newPassword');
  const same = { currentPassword: password, newPassword: password };
  assert.equal((await api.refusal(changePassword, { body: same }, { cookie: own })).errors?.[0]?.path, 'newPassword');
  assert.deepEqual(await audits('password.change'), []);
});

test('a changed password ends every other session and leaves this one', async () => {
  const [own, other] = [await signedIn(), await signedIn()];
  const body = { currentPassword: password, newPassword: 'a second long password' };
  await api.call(changePassword, { body }, { cookie: own });
  assert.deepEqual([await isValid(own), await isValid(other)], [true, false]);
  assert.equal(problemOf(await tryIn(password)).code, 'wrong_credentials');
  password = body.newPassword;
  assert.equal(await isValid(await signedIn()), true);
  const [row] = await audits('password.change');
  assert.ok(row !== undefined && !JSON.stringify(row).includes(password));
});

test('of many changes of password at once exactly one counts, and no session that it ended comes back', async () => {
  const cookies = await Promise.all(Array.from({ length: 6 }, signedIn));
  const texts = cookies.map((_, i) => `the password of number ${i}`);
  const [changes, entries] = await Promise.all([
    Promise.all(
      cookies.map((cookie, i) => {
        const body = { currentPassword: password, newPassword: texts[i] ?? '' };
        return api.send(changePassword, { body }, { cookie });
      }),
    ),
    Promise.all(Array.from({ length: 6 }, () => tryIn(password))),
  ]);
  const won = changes.map(({ status }) => status).indexOf(204);
  assert.equal(changes.filter(({ status }) => status === 204).length, 1);
  password = texts[won] ?? '';
  const opened = entries.flatMap((reply) => (reply.status === 200 ? [cookieOf(reply) ?? ''] : []));
  for (const cookie of [...cookies.filter((_, i) => i !== won), ...opened]) assert.equal(await isValid(cookie), false);
  assert.equal(await isValid(cookies[won] ?? ''), true);
});

test('sessions are listed with address and browser, and ended one by one or all others at once', async () => {
  const [own, second, third] = [await signedIn(), await signedIn(), await signedIn()];
  const listed = await api.call(listSessions, {}, { cookie: own });
  const browser = `browser ${addresses}`;
  const last = listed.sessions.find(({ userAgent }) => userAgent === browser);
  assert.equal(last?.ip, `10.1.0.${addresses}`);
  assert.equal(listed.sessions.filter(({ current }) => current).length, 1);
  assert.ok(last !== undefined);
  await api.call(deleteSession, { params: { id: last.id } }, { cookie: own });
  assert.deepEqual([await isValid(own), await isValid(second), await isValid(third)], [true, true, false]);
  assert.equal((await api.refusal(deleteSession, { params: { id: last.id } }, { cookie: own })).code, 'not_found');
  const { ended } = await api.call(revokeOtherSessions, {}, { cookie: own });
  assert.ok(ended >= 1);
  assert.equal(await isValid(second), false);
  assert.equal((await api.call(listSessions, {}, { cookie: own })).sessions.length, 1);
  assert.equal((await audits('session.revoke-others')).length, 1);
});

test('ending the own session signs out', async () => {
  const own = await signedIn();
  const { sessions } = await api.call(listSessions, {}, { cookie: own });
  const id = sessions.find(({ current }) => current)?.id;
  assert.ok(id !== undefined);
  const reply = await api.send(deleteSession, { params: { id } }, { cookie: own });
  assert.match(reply.headers.getSetCookie().join(), /^tradewind_session_8080=; Max-Age=0/);
  assert.equal(await isValid(own), false);
});

test('a session may try five passwords a minute, and another session is not held up by it', async () => {
  const [own, other] = [await signedIn(), await signedIn()];
  const attempt = (cookie: string) =>
    api.send(
      changePassword,
      { body: { currentPassword: 'a guess', newPassword: 'another long password' } },
      { cookie },
    );
  const tried = await Promise.all(Array.from({ length: 12 }, () => attempt(own)));
  const statuses = tried.map(({ status }) => status).toSorted((a, b) => a - b);
  assert.deepEqual(statuses, [...Array(5).fill(422), ...Array(7).fill(429)]);
  const refused = tried.find(({ status }) => status === 429);
  assert.ok(Number(refused?.headers.get('retry-after')) > 0);
  assert.equal((await attempt(other)).status, 422);
});
