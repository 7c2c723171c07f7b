/** Tells when a window's first page is shown with its data. Popups, the palette and prefetches wait for that. */

/** Quiet time without requests before the page counts as ready: a page often sends a second request after the first answer. */
const restMs = 300;
/** Time limit, for a page that sends no requests or whose server does not answer. */
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

/** Tracks code or an answer that the page waits for. */
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

/** Starts waiting for the page. Called once, when the console starts. */
export const expectPage = (): void => plan(latestMs);

/** Users with data saver on get no prefetching. */
const savesData = (): boolean => {
  const connection: unknown = 'connection' in navigator ? navigator.connection : undefined;
  return typeof connection === 'object' && connection !== null && 'saveData' in connection && connection.saveData === true;
};

/** Runs the callback when the page is ready and the browser is idle. The returned function cancels it. */
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
