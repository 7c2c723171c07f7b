/** When the first page of a window stands with its data. What nobody needs before that waits for it: popups, palette, the next pages. */

/** So long nothing is asked any more: a page often asks a second question when the first is answered. */
const restMs = 300;
/** A page that asks nothing, or whose server does not answer. */
const latestMs = 6000;

let underWay = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let isReady = false;
let announce: () => void = () => undefined;
export const pageReady = new Promise<void>((resolve) => {
  announce = resolve;
});

const end = (): void => {
  isReady = true;
  announce();
};
const plan = (ms: number): void => {
  clearTimeout(timer);
  timer = setTimeout(end, ms);
};

/** Code or an answer of the server that the page waits for. */
export const whileAsking = async <T>(answer: Promise<T>): Promise<T> => {
  if (isReady) return answer;
  underWay += 1;
  plan(latestMs);
  try {
    return await answer;
  } finally {
    underWay -= 1;
    if (underWay === 0) plan(restMs);
  }
};

/** Call it once, when the console starts. */
export const expectPage = (): void => plan(latestMs);

/** Not for people who save data. */
const savesData = (): boolean => {
  const connection: unknown = 'connection' in navigator ? navigator.connection : undefined;
  return typeof connection === 'object' && connection !== null && 'saveData' in connection && connection.saveData === true;
};

/** Runs when the page stands and the browser has nothing better to do. The returned function takes it back. */
export const whenPageReady = (run: () => void): (() => void) => {
  if (savesData()) return () => undefined;
  let isOff = false;
  void pageReady.then(() => {
    const go = (): void => {
      if (!isOff) run();
    };
    if (typeof requestIdleCallback === 'undefined') setTimeout(go, 200);
    else requestIdleCallback(go, { timeout: 5000 });
  });
  return () => {
    isOff = true;
  };
};
