// The work itself: replace this with yours.
import { nextTurn, tideHeight } from './tide.js';

/**
 * Runs once per interval. Answers a sentence for people and figures for the log; throws when it fails.
 * `signal` aborts when the run takes too long or the worker stops: hand it to fetch, to a query, to whatever waits.
 */
export const job = async ({ now, signal }) => {
  signal.throwIfAborted();
  const heightMetres = Number(tideHeight(now).toFixed(2));
  const turn = nextTurn(now);
  const minutes = Math.round((turn.at.getTime() - now.getTime()) / 60_000);
  return {
    summary: `The tide stands at ${heightMetres.toFixed(2)} m; ${turn.isHigh ? 'high' : 'low'} water in ${minutes} min`,
    figures: { heightMetres, turn: turn.isHigh ? 'high' : 'low', minutes },
  };
};
