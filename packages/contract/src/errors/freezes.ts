/** Freeze windows of production. */
import type { ErrorEntry } from './error-entry.ts';

export const freezesErrors = {
  ProductionFrozen: { status: 409, message: 'Production is frozen until {until} for {name}: {reason}' },
  NotFrozen: { status: 409, message: 'Production is not frozen' },
  FreezeOverrideRefused: { status: 403, message: 'Only an administrator can override this freeze' },
  FreezeWindowDoesNotExist: { status: 404, message: 'Freeze window does not exist' },
  FreezeIsOver: { status: 409, message: 'The end has passed' },
  FreezeEndsTooEarly: { status: 400, message: 'The end must be after the beginning' },
  FreezeScopeUnknown: { status: 409, message: 'There is no team or app {name}' },
} as const satisfies Record<string, ErrorEntry>;
