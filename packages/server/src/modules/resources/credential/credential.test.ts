/** A credential with two turns on an engine in memory: issued, rotated, ended, interrupted at every step, and taken back. */
import { describe, expect, test } from 'vitest';
import {
  credentialOf,
  endFormerRule,
  formerEndOf,
  formerOf,
  liveTurns,
  rotateRule,
  turnFor,
  type Credential,
  type Issued,
  type Turn,
} from './credential.ts';
import { closeFormer, issue, unissue, type Holder } from './turns.ts';

type Crash = 'before the password' | 'before the row' | 'after the row' | 'before the close' | 'after the close';

/** An engine with two logins, and the row. `crash` ends the process once, at one moment. */
class World {
  readonly passwords = new Map<Turn, string>();
  /** Every password that was handed over, newest last. */
  handedOver: string[] = [];
  credential: Credential = { state: 'NONE' };
  crash: Crash | undefined;
  #count = 0;

  get holder(): Holder<number> {
    return {
      credential: this.credential,
      give: async (next: Issued) => {
        this.#crashAt('before the password');
        this.#count += 1;
        this.passwords.set(next.turn, `password ${this.#count}`);
        this.#crashAt('before the row');
        this.handedOver.push(`password ${this.#count}`);
        this.credential = next;
        this.#crashAt('after the row');
        return this.handedOver.length;
      },
      close: async (turn) => {
        this.#crashAt('before the close');
        this.passwords.delete(turn);
        this.#crashAt('after the close');
      },
      takeBack: async (before) => {
        this.handedOver.pop();
        this.credential = before;
      },
    };
  }

  /** As an area's `endFormer…`: closes the login, then stores the end. */
  async end(): Promise<void> {
    await closeFormer(this.holder);
    if (this.credential.state !== 'NONE') this.credential = credentialOf({ ...this.credential, formerEndsAt: null });
  }

  /** Passwords that work, and were handed over: newest first. */
  get working(): string[] {
    const open = new Set(this.passwords.values());
    return this.handedOver.filter((password) => open.has(password)).toReversed();
  }

  #crashAt(moment: Crash): void {
    if (this.crash !== moment) return;
    this.crash = undefined;
    throw new Error(`Killed ${moment}`);
  }
}

const first = { by: 'creation', overlapHours: 0 };
const second = { by: 'rotation', overlapHours: 24 };
const made = async (): Promise<World> => {
  const world = new World();
  await issue(world.holder, first);
  return world;
};
const rotated = async (): Promise<World> => {
  const world = await made();
  await issue(world.holder, second);
  return world;
};

test('the first password is on the first login, and has no former one', async () => {
  const world = new World();
  expect(liveTurns(world.credential)).toEqual([1]);
  expect(await issue(world.holder, first)).toBe(1);
  expect(world.credential).toEqual({ state: 'SINGLE', turn: 1, by: 'creation' });
  expect(world.working).toEqual(['password 1']);
  expect(endFormerRule(world.credential)).toBe('NoFormerPassword');
  expect(formerOf(world.credential, String)).toBeNull();
});

test('a rotation uses the other login, and both passwords work until the former one ends', async () => {
  const world = await rotated();
  expect(world.credential).toMatchObject({ state: 'OVERLAP', turn: 2, by: 'rotation' });
  expect(liveTurns(world.credential)).toEqual([2, 1]);
  expect(world.working).toEqual(['password 2', 'password 1']);
  const hours = ((formerEndOf(world.credential)?.getTime() ?? 0) - Date.now()) / 3_600_000;
  expect(hours).toBeCloseTo(24, 1);
  expect(formerOf(world.credential, (turn) => `user ${turn}`)?.user).toBe('user 1');
  await world.end();
  expect(world.credential).toEqual({ state: 'SINGLE', turn: 2, by: 'rotation' });
  expect(world.working).toEqual(['password 2']);
  await issue(world.holder, { by: 'later', overlapHours: 1 });
  expect(world.credential).toMatchObject({ state: 'OVERLAP', turn: 1 });
});

test('during an overlap the rules refuse a rotation, and allow the end of the former password until its time is up', async () => {
  const { credential } = await rotated();
  expect(rotateRule(credential, true)).toBe('FormerPasswordValid');
  expect(rotateRule(credential, 'Busy')).toBe('Busy');
  expect(rotateRule((await made()).credential, true)).toBe(true);
  expect(endFormerRule(credential)).toBe(true);
  expect(endFormerRule(credential, new Date(Date.now() + 25 * 3_600_000))).toBe('NoFormerPassword');
});

test('a second rotation within the overlap, where rules allow it, ends the oldest password and keeps the one in use', async () => {
  const world = await rotated();
  await issue(world.holder, { by: 'again', overlapHours: 1 });
  expect(world.credential).toMatchObject({ state: 'OVERLAP', turn: 1, by: 'again' });
  expect(world.working).toEqual(['password 3', 'password 2']);
});

test('a replacement gives the same login another password, without an overlap', async () => {
  const world = await made();
  await issue(world.holder, { by: 'replacement', overlapHours: 0, isReplacement: true });
  expect(world.credential).toEqual({ state: 'SINGLE', turn: 1, by: 'replacement' });
  expect(world.working).toEqual(['password 2']);
});

test('a repeated issue of the same pipeline changes nothing', async () => {
  const world = await rotated();
  expect(await issue(world.holder, second)).toBeUndefined();
  expect(world.working).toEqual(['password 2', 'password 1']);
  expect(turnFor(world.credential, 'rotation')).toBe(2);
  expect(turnFor(world.credential, 'another')).toBe(1);
});

test('an end without an overlap closes nothing', async () => {
  const world = await made();
  await world.end();
  expect(world.working).toEqual(['password 1']);
  const none = new World();
  await none.end();
  expect(none.credential).toEqual({ state: 'NONE' });
});

describe.each<Crash>(['before the password', 'before the row', 'after the row'])('a pipeline that is killed %s', (crash) => {
  const killed = async (world: World, wish: typeof first): Promise<void> => {
    world.crash = crash;
    await expect(issue(world.holder, wish)).rejects.toThrow(crash);
  };
  test('issues one password when it goes on', async () => {
    const world = await made();
    await killed(world, second);
    await issue(world.holder, second);
    expect(world.credential).toMatchObject({ state: 'OVERLAP', turn: 2, by: 'rotation' });
    expect(world.handedOver).toHaveLength(2);
    expect(world.working).toHaveLength(2);
  });
  test('and is cancelled leaves the former password, and nothing on the other login', async () => {
    const world = await made();
    await killed(world, second);
    await unissue(world.holder, 'rotation');
    expect(world.credential).toMatchObject({ state: 'SINGLE', turn: 1 });
    expect([...world.passwords]).toEqual([[1, 'password 1']]);
    expect(world.working).toEqual(['password 1']);
  });
  test('and is cancelled before the first password leaves no login', async () => {
    const world = new World();
    await killed(world, first);
    await unissue(world.holder, 'creation');
    expect(world.credential).toEqual({ state: 'NONE' });
    expect([...world.passwords, ...world.handedOver]).toEqual([]);
  });
});

test.each<Crash>(['before the close', 'after the close'])(
  'an undo that is killed %s and repeated takes back one password',
  async (crash) => {
    const world = await rotated();
    world.crash = crash;
    await expect(unissue(world.holder, 'rotation')).rejects.toThrow(crash);
    await unissue(world.holder, 'rotation');
    await unissue(world.holder, 'rotation');
    expect(world.credential).toEqual({ state: 'SINGLE', turn: 1, by: null });
    expect(world.working).toEqual(['password 1']);
  },
);

test('columns that store a credential give its state back', () => {
  const endsAt = new Date();
  expect(credentialOf({ turn: null, by: 'x', formerEndsAt: endsAt })).toEqual({ state: 'NONE' });
  expect(credentialOf({ turn: 2, by: null, formerEndsAt: null })).toEqual({ state: 'SINGLE', turn: 2, by: null });
  expect(credentialOf({ turn: 1, by: 'x', formerEndsAt: endsAt })).toEqual({ state: 'OVERLAP', turn: 1, by: 'x', formerEndsAt: endsAt });
});
