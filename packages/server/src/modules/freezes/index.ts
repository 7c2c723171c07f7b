/** The public interface of freeze windows. */
export { freezeArea } from './freezes.routes.ts';
export { announcedFreezes, planFreeze, refuseFrozen } from './freeze-rule.ts';
