/** Consumers of one group, without connections and with a manual clock. */
import type { Request } from '../protocol/apis.ts';
import { errors } from '../protocol/errors.ts';
import { Coordinator, type GroupSettings, type JoinRequest } from './coordinator.ts';
import { manualTime } from './manual-timers.fixture.ts';
import type { JoinAnswer, SyncAnswer } from './member.ts';

/** How long the first rebalance waits for others. */
export const DELAY_MS = 100;
export const GROUP = 'berth.reader.orders';

/** A consumer's metadata: version 0, its topics, no user data. */
export const subscriptionOf = (...topics: string[]): Buffer => {
  const parts = topics.map((topic) => {
    const name = Buffer.from(topic);
    const length = Buffer.alloc(2);
    length.writeInt16BE(name.length);
    return Buffer.concat([length, name]);
  });
  const count = Buffer.alloc(4);
  count.writeInt32BE(topics.length);
  return Buffer.concat([Buffer.alloc(2), count, ...parts, Buffer.alloc(4, 0xff)]);
};

/** An answer that may still be pending. */
export class Awaited<Answer> {
  #answer: Answer | undefined;
  readonly promise: Promise<Answer>;

  constructor(promise: Promise<Answer>) {
    this.promise = promise;
    void promise.then((answer) => {
      this.#answer = answer;
    });
  }

  get now(): Answer | undefined {
    return this.#answer;
  }
}

/** Lets answers that were already given arrive. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export const groupUnderTest = (settings: Partial<GroupSettings> = {}) => {
  const time = manualTime();
  let ids = 0;
  const kept: number[] = [];
  const coordinator = new Coordinator({
    timers: time,
    now: time.now,
    newId: () => String((ids += 1)),
    keep: (group) => kept.push(group.generation),
    settings: { initialDelayMs: DELAY_MS, ...settings },
  });

  const join = (given: Partial<JoinRequest> = {}, version = 9, clientId = 'c'): Awaited<JoinAnswer> =>
    new Awaited(
      coordinator.join(
        {
          groupId: GROUP,
          sessionTimeoutMs: 10_000,
          rebalanceTimeoutMs: 60_000,
          memberId: '',
          groupInstanceId: null,
          protocolType: 'consumer',
          protocols: [{ name: 'range', metadata: subscriptionOf('berth.orders') }],
          reason: null,
          ...given,
        },
        { clientId, host: '127.0.0.1', version },
      ),
    );
  /** Joins like a client: asks for an id, and joins with it. */
  const arrive = async (given: Partial<JoinRequest> = {}) => {
    const { memberId } = await join(given).promise;
    return { memberId, joined: join({ ...given, memberId }) };
  };
  const sync = (
    memberId: string,
    generationId: number,
    assignments: Record<string, string> = {},
    more: Partial<Request<'SyncGroup'>> = {},
  ) =>
    new Awaited<SyncAnswer>(
      coordinator.sync({
        groupId: GROUP,
        generationId,
        memberId,
        groupInstanceId: null,
        protocolType: 'consumer',
        protocolName: 'range',
        assignments: Object.entries(assignments).map(([id, text]) => ({ memberId: id, assignment: Buffer.from(text) })),
        ...more,
      }),
    );
  const heartbeat = (memberId: string, generationId: number, groupInstanceId: string | null = null): number =>
    coordinator.heartbeat({ groupId: GROUP, generationId, memberId, groupInstanceId });
  const leave = (...memberIds: string[]) =>
    coordinator
      .leave(
        GROUP,
        memberIds.map((memberId) => ({ memberId, groupInstanceId: null, reason: null })),
      )
      .map(({ errorCode }) => errorCode);

  /** Makes a stable group of `count` members. Returns their ids, the leader's first. */
  const stable = async (count: number, given: (index: number) => Partial<JoinRequest> = () => ({})): Promise<string[]> => {
    const joining: Awaited<JoinAnswer>[] = [];
    for (let index = 0; index < count; index += 1) {
      const more = given(index);
      joining.push(typeof more.groupInstanceId === 'string' ? join(more) : (await arrive(more)).joined);
    }
    time.pass(2 * DELAY_MS);
    return finish(joining);
  };
  const finish = async (joining: readonly Awaited<JoinAnswer>[]): Promise<string[]> => {
    const answers = await Promise.all(joining.map(({ promise }) => promise));
    const leader = answers.find(({ memberId, leader: id }) => memberId === id);
    if (leader === undefined || answers.some(({ errorCode }) => errorCode !== errors.NONE)) throw new Error(JSON.stringify(answers));
    const generation = leader.generationId ?? 0;
    const others = answers.filter((answer) => answer !== leader).map(({ memberId }) => memberId);
    const waiting = others.map((memberId) => sync(memberId, generation));
    const ids = [leader.memberId, ...others];
    await sync(leader.memberId, generation, Object.fromEntries(ids.map((id, index) => [id, `part ${index}`]))).promise;
    await Promise.all(waiting.map(({ promise }) => promise));
    return ids;
  };
  const group = () => coordinator.find(GROUP);
  return { coordinator, time, kept, join, arrive, sync, heartbeat, leave, stable, finish, group };
};
