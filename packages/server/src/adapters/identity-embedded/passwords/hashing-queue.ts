// Lets few passwords be hashed at a time. Each takes a thread that files and DNS need too, so a flood of guesses must not take them
// all; and addresses take turns, so that a flood from one does not keep the others out.

const AT_A_TIME = 2;
const MAX_WAITING = 20;
const MAX_WAITING_OF_ONE = 4;

/** So many are waiting already that one more would wait for seconds. */
export class TooBusy extends Error {
  override readonly name = 'TooBusy';
}

interface Waiter {
  readonly go: () => void;
  readonly turnAway: () => void;
}

let running = 0;
/** By address; the first address is the next whose turn it is. */
const waiting = new Map<string, Waiter[]>();
const waitingCount = (): number => [...waiting.values()].reduce((sum, { length }) => sum + length, 0);

/** Full, and somebody comes who has nobody waiting yet: the last of the longest line makes room. */
const makeRoom = (): void => {
  const longest = [...waiting].toSorted(([, a], [, b]) => b.length - a.length)[0];
  if (!longest || longest[1].length < 2) throw new TooBusy();
  longest[1].pop()?.turnAway();
};

const turn = (address: string): Promise<void> => {
  const line = waiting.get(address) ?? [];
  if (line.length >= MAX_WAITING_OF_ONE) throw new TooBusy();
  if (waitingCount() >= MAX_WAITING) {
    if (line.length > 0) throw new TooBusy();
    makeRoom();
  }
  waiting.set(address, line);
  return new Promise((resolve, reject) => line.push({ go: resolve, turnAway: () => reject(new TooBusy()) }));
};

/** Whoever is done hands the place on, so that `running` stays as it is. */
const handOn = (): void => {
  const [address, line] = waiting.entries().next().value ?? [];
  const next = line?.shift();
  if (address === undefined || !line || !next) return void (running -= 1);
  waiting.delete(address);
  if (line.length > 0) waiting.set(address, line);
  next.go();
};

/** `address` is the client's, as `clientOf` says it. Throws TooBusy. */
export const inTurn = async <T>(address: string, work: () => Promise<T>): Promise<T> => {
  if (running < AT_A_TIME) running += 1;
  else await turn(address);
  try {
    return await work();
  } finally {
    handOn();
  }
};
