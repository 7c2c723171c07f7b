import { readFile, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';

import { errors } from '../protocol/errors.ts';
import { ADMIN, ask, callerNamed, createUser, mechanismFor, openAccess, signIn, directoryForTest, upsertion } from './access.fixture.ts';
import { checkProof, credentialOf, readClientFinal, readClientFirst, writeServerFirst } from './scram.ts';

const admin = callerNamed(ADMIN.name);
const INVALID = 'Authentication failed during authentication due to invalid credentials with SASL mechanism SCRAM-SHA-512';

test('the example of RFC 7677', async () => {
  const { pbkdf2Sync } = await import('node:crypto');
  const salt = Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64');
  const credential = credentialOf('SCRAM-SHA-256', pbkdf2Sync('pencil', salt, 4096, 32, 'sha256'), salt, 4096);
  const nonce = 'rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0';
  const first = readClientFirst(Buffer.from('n,,n=user,r=rOprNGfwEbeRWgbNEkqO'));
  const final = readClientFinal(Buffer.from(`c=biws,r=${nonce},p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=`));
  if (first === undefined || final === undefined) throw new Error('the example is not read');
  const serverFirst = writeServerFirst(nonce, credential);
  expect(serverFirst).toBe(`r=${nonce},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096`);
  expect(checkProof('SCRAM-SHA-256', credential, first, serverFirst, final)).toBe('v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=');
});

test.each([
  '',
  'n',
  'n,,',
  'n,,n=a',
  'n,,n=,r=x',
  'p=tls-unique,,n=a,r=x',
  'n,,m=ext,n=a,r=x',
  'n,,n=a=b,r=x',
  'n,b=c,n=a,r=x',
  'n,,n=a,r=',
  'n,,n=a,r=\u0001',
])('no first message: %j', (text) => {
  expect(readClientFirst(Buffer.from(text))).toBeUndefined();
});
test('names may hold commas and equals signs', () => {
  expect(readClientFirst(Buffer.from('n,,n=a=2Cb=3D2C,r=x'))?.user).toBe('a,b=2C');
});
test('bytes that are no text, and endless messages, are no messages', () => {
  expect(readClientFirst(Buffer.from([0x6e, 0x2c, 0x2c, 0x6e, 0x3d, 0xff, 0x2c, 0x72, 0x3d, 0x78]))).toBeUndefined();
  expect(readClientFirst(Buffer.from(`n,,n=${'a'.repeat(5000)},r=x`))).toBeUndefined();
});

test('who has the password signs in, by both mechanisms and after a restart, and who has not does not', async () => {
  const home = await directoryForTest();
  let access = await openAccess(home.directory);
  expect((await createUser(access, 'berth.reader', 'secret-256', 'sha256')).results).toEqual([
    { user: 'berth.reader', errorCode: errors.NONE, errorMessage: null },
  ]);
  await createUser(access, 'berth.reader', 'secret-512');
  await access.close();
  access = await openAccess(home.directory);
  for (const [hash, password] of [
    ['sha256', 'secret-256'],
    ['sha512', 'secret-512'],
  ] as const) {
    const begin = () => access.users.begin(mechanismFor[hash], '127.0.0.1');
    expect(await signIn(begin(), 'berth.reader', password, { hash })).toMatchObject({ state: 'signedIn', principal: 'berth.reader' });
    expect(await signIn(begin(), 'berth.reader', 'guess', { hash })).toMatchObject({ state: 'refused' });
    expect(await signIn(begin(), ADMIN.name, ADMIN.password, { hash })).toMatchObject({ state: 'signedIn', principal: ADMIN.name });
  }
  expect(await access.users.begin('PLAIN', '127.0.0.1').step(Buffer.from('\0berth.reader\0secret-512'))).toMatchObject({
    state: 'refused',
  });
});

test('an unknown name is answered like a known one, with the same salt every time, after a restart, too', async () => {
  const home = await directoryForTest();
  const challenge = async (user: string) => {
    const access = await openAccess(home.directory);
    const step = await access.users.begin('SCRAM-SHA-512', '127.0.0.1').step(Buffer.from(`n,,n=${user},r=nonce`));
    await access.close();
    if (step.state !== 'continue') throw new Error(step.state);
    return step.answer.toString().replace(/^r=[^,]+,/, '');
  };
  const access = await openAccess(home.directory);
  await createUser(access, 'berth.reader', 'secret');
  await access.close();
  const [known, unknown, again, other] = [
    await challenge('berth.reader'),
    await challenge('nobody'),
    await challenge('nobody'),
    await challenge('noone'),
  ];
  expect(unknown).toBe(again);
  expect(unknown).not.toBe(other);
  expect([unknown.length, /i=\d+/.exec(unknown)?.[0]]).toEqual([known.length, /i=\d+/.exec(known)?.[0]]);
  const last = await openAccess(home.directory);
  const begin = () => last.users.begin('SCRAM-SHA-512', '127.0.0.1');
  expect(await signIn(begin(), 'nobody', '')).toEqual({ state: 'refused', reason: INVALID });
  expect(await signIn(begin(), 'berth.reader', 'guess')).toEqual({ state: 'refused', reason: INVALID });
});

test('the nonce of the last message ends with ours: librdkafka before 2.6 repeats its own, and no other may be there', async () => {
  const home = await directoryForTest();
  const access = await openAccess(home.directory);
  await createUser(access, 'berth.reader', 'secret');
  const trial = (finalNonce: (nonce: string) => string) =>
    signIn(access.users.begin('SCRAM-SHA-512', '127.0.0.1'), 'berth.reader', 'secret', { clientNonce: 'mine', finalNonce });
  expect(await trial((nonce) => `mine${nonce}`)).toMatchObject({ state: 'signedIn' });
  expect(await trial((nonce) => nonce.slice(1))).toMatchObject({ state: 'refused' });
  expect(await trial((nonce) => `${nonce}x`)).toMatchObject({ state: 'refused' });
});

test('an exchange is used once, in its order, and by the user it is about', async () => {
  const home = await directoryForTest();
  const access = await openAccess(home.directory);
  await createUser(access, 'berth.reader', 'secret');
  const begin = () => access.users.begin('SCRAM-SHA-512', '127.0.0.1');
  const used = begin();
  await signIn(used, 'berth.reader', 'secret');
  expect(await used.step(Buffer.from('n,,n=berth.reader,r=x'))).toMatchObject({ state: 'refused' });
  expect(await begin().step(Buffer.from('c=biws,r=x,p=eA=='))).toMatchObject({ state: 'refused' });
  expect(await signIn(begin(), 'berth.reader', 'secret', { gs2Header: 'n,a=platform,' })).toMatchObject({ state: 'refused' });
  expect(await signIn(begin(), 'berth.reader', 'secret', { gs2Header: 'n,a=berth.reader,' })).toMatchObject({ state: 'signedIn' });
});

test('failures of one user from one address lock out nobody else, and end by themselves', async () => {
  const home = await directoryForTest();
  let time = 0;
  const access = await openAccess(home.directory, () => time);
  for (const user of ['berth.reader', 'berth.writer']) await createUser(access, user, 'secret');
  const trial = async (user: string, password: string, host = '10.0.0.1') =>
    (await signIn(access.users.begin('SCRAM-SHA-512', host), user, password)).state;
  for (let count = 0; count < 30; count += 1) expect(await trial('berth.reader', 'guess')).toBe('refused');
  expect(await trial('berth.reader', 'secret')).toBe('refused');
  expect(await trial('berth.reader', 'secret', '10.0.0.2')).toBe('signedIn');
  expect(await trial('berth.writer', 'secret')).toBe('signedIn');
  time = 60_001;
  expect(await trial('berth.reader', 'secret')).toBe('signedIn');
});

test('what is on the disk is salted, and for the broker alone', async () => {
  const home = await directoryForTest();
  const access = await openAccess(home.directory);
  const { saltedPassword } = upsertion('berth.reader', 'secret-in-no-file');
  await createUser(access, 'berth.reader', 'secret-in-no-file');
  expect(await readdir(home.directory)).toEqual(['users.json']);
  const file = path.join(home.directory, 'users.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const text = await readFile(file, 'utf8');
  for (const secret of [
    'secret-in-no-file',
    ADMIN.password,
    ADMIN.name,
    saltedPassword.toString('base64url'),
    saltedPassword.toString('base64'),
  ]) {
    expect(text).not.toContain(secret);
  }
});

test('AlterUserScramCredentials refuses what Kafka refuses, and does the rest', async () => {
  const home = await directoryForTest();
  const access = await openAccess(home.directory);
  const alter = async (deletions: { name: string; mechanism: number }[], upsertions: ReturnType<typeof upsertion>[], caller = admin) =>
    Object.fromEntries(
      (await ask(access.handlers, 'AlterUserScramCredentials', { deletions, upsertions }, caller)).results.map((one) => [
        one.user,
        one.errorCode,
      ]),
    );
  const good = upsertion('good', 'secret');
  expect(
    await alter(
      [
        { name: 'absent', mechanism: 2 },
        { name: 'both', mechanism: 2 },
      ],
      [
        good,
        upsertion('few', 'secret', 'sha512', 4095),
        upsertion('many', 'secret', 'sha512', 16_385),
        { ...good, name: 'plain', mechanism: 3 },
        { ...good, name: 'short', saltedPassword: Buffer.alloc(32) },
        { ...good, name: 'saltless', salt: Buffer.alloc(0) },
        upsertion('twice', 'secret'),
        upsertion('twice', 'secret', 'sha256'),
        upsertion('both', 'secret'),
        upsertion(ADMIN.name, 'secret'),
        upsertion('', 'secret'),
      ],
    ),
  ).toEqual({
    good: errors.NONE,
    absent: errors.RESOURCE_NOT_FOUND,
    few: errors.UNACCEPTABLE_CREDENTIAL,
    many: errors.UNACCEPTABLE_CREDENTIAL,
    plain: errors.UNSUPPORTED_SASL_MECHANISM,
    short: errors.UNACCEPTABLE_CREDENTIAL,
    saltless: errors.UNACCEPTABLE_CREDENTIAL,
    twice: errors.DUPLICATE_RESOURCE,
    both: errors.DUPLICATE_RESOURCE,
    [ADMIN.name]: errors.UNACCEPTABLE_CREDENTIAL,
    '': errors.UNACCEPTABLE_CREDENTIAL,
  });
  expect(await alter([], [upsertion('mine', 'secret')], callerNamed('good'))).toEqual({ mine: errors.CLUSTER_AUTHORIZATION_FAILED });
  const describe = async (names: string[] | null, caller = admin) =>
    (await ask(access.handlers, 'DescribeUserScramCredentials', { users: names?.map((name) => ({ name })) ?? null }, caller)).results;
  expect(await describe(null)).toEqual([
    { user: 'good', errorCode: errors.NONE, errorMessage: null, credentialInfos: [{ mechanism: 2, iterations: 4096 }] },
  ]);
  const asked = await describe(['good', 'absent', 'twice', 'twice']);
  expect(asked.map(({ user, errorCode }) => [user, errorCode])).toEqual([
    ['good', errors.NONE],
    ['absent', errors.RESOURCE_NOT_FOUND],
    ['twice', errors.DUPLICATE_RESOURCE],
  ]);
  expect(await describe(null, callerNamed('good'))).toEqual([]);
});

test('a new password takes the place of the old one; whoever has no credential left is gone, and connections hear of it', async () => {
  const home = await directoryForTest();
  const access = await openAccess(home.directory);
  const gone: string[] = [];
  access.users.onDeleted((user) => gone.push(user));
  const trial = async (password: string) =>
    (await signIn(access.users.begin('SCRAM-SHA-512', '127.0.0.1'), 'berth.reader', password)).state;
  await createUser(access, 'berth.reader', 'old');
  await createUser(access, 'berth.reader', 'old', 'sha256');
  await createUser(access, 'berth.reader', 'new');
  expect([await trial('old'), await trial('new')]).toEqual(['refused', 'signedIn']);
  const remove = (mechanism: number) =>
    ask(access.handlers, 'AlterUserScramCredentials', { deletions: [{ name: 'berth.reader', mechanism }], upsertions: [] }, admin);
  await remove(2);
  expect([await trial('new'), gone]).toEqual(['refused', []]);
  await remove(1);
  expect(gone).toEqual(['berth.reader']);
});

test('a user who is deleted during the sign-in is not signed in', async () => {
  const home = await directoryForTest();
  const access = await openAccess(home.directory);
  await createUser(access, 'berth.reader', 'secret');
  const exchange = access.users.begin('SCRAM-SHA-512', '127.0.0.1');
  let messages = 0;
  const step = async (message: Buffer) => {
    messages += 1;
    const deletions = [{ name: 'berth.reader', mechanism: 2 }];
    if (messages === 2) await ask(access.handlers, 'AlterUserScramCredentials', { deletions, upsertions: [] }, admin);
    return exchange.step(message);
  };
  expect(await signIn({ step }, 'berth.reader', 'secret')).toMatchObject({ state: 'refused' });
});
