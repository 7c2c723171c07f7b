// Lets few passwords be hashed at a time. Each takes a thread that files and DNS need too, so a flood of guesses must not take them all.

const AT_A_TIME = 2;
const MAX_WAITING = 20;

/** So many are waiting already that one more would wait for seconds. */
export class TooBusy extends Error {
  override readonly name = 'TooBusy';
}

let running = 0;
const waiting: (() => void)[] = [];

export const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
  if (running < AT_A_TIME) running += 1;
  else if (waiting.length >= MAX_WAITING) throw new TooBusy();
  // Whoever is done hands the place on, so that `running` stays as it is.
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }
};
