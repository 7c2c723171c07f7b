/** Path of what is wrong with a revision. */
import { revisionTrouble } from '@slipway/contract/trouble.ts';
import { handle, type Handler } from '#kernel/http/handle.ts';
import { revisionTroubleOf, type TroubleDeps } from './trouble.ts';

export const troubleRoutes = (deps: TroubleDeps): Handler[] => [
  handle(revisionTrouble, async (c) => {
    const key = { app: c.params.app, environment: c.environment, service: c.params.service };
    return { trouble: await revisionTroubleOf(deps, key, c.params.revision, c.caller) };
  }),
];
