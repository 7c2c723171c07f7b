/** Who may do what with an entry (the catalog's rights table): pure rules, which the writes enforce and `can` reports. */
import type { EntryKind, EntryStatus } from '@slipway/contract/catalog/entry.ts';
import type { ErrorCode } from '@slipway/contract/kernel/errors.ts';
import type { Can } from '@slipway/contract/kernel/fields.ts';
import type { Caller } from '#kernel/http/handle.ts';

/** A caller, and whether he approves in the catalog. */
export interface Viewer {
  readonly caller: Caller;
  readonly isApprover: boolean;
  /** Ids of rejected entries that the caller requested or owns. Undefined if there are many, or if nobody looked. */
  readonly rejected?: readonly string[];
}
/** Facts of an entry that the rules need. */
export interface Standing {
  readonly kind: EntryKind;
  readonly status: EntryStatus;
  readonly created_by: string;
  readonly owners: readonly string[];
  /** Those who act as owners. Empty if approvers do. */
  readonly hands: readonly string[];
  readonly parent_hands: readonly string[] | null;
  readonly app: object | null;
}
type Verdict = true | ErrorCode;

const isOf = (hands: readonly string[] | null, { caller, isApprover }: Viewer): boolean =>
  hands === null ? false : hands.length === 0 ? isApprover : hands.includes(caller.id);
export const isOwner = ({ hands }: Pick<Standing, 'hands'>, viewer: Viewer): boolean => isOf(hands, viewer);
export const isParentOwner = ({ parent_hands: hands }: Pick<Standing, 'parent_hands'>, viewer: Viewer): boolean => isOf(hands, viewer);

const ownerRule = (entry: Standing, viewer: Viewer): Verdict =>
  isOwner(entry, viewer) || (entry.kind === 'product' && isParentOwner(entry, viewer)) ? true : 'NotCatalogueOwner';
const ifActive = ({ status }: Standing, verdict: Verdict): Verdict => (status === 'ACTIVE' ? verdict : 'EntryNotActive');
const approverRule = ({ isApprover }: Viewer): Verdict => (isApprover ? true : 'NotCatalogueApprover');

/** Fields of a waiting entry are its requester's and owners'; of a rejected one its requester's, who may send it again. */
export const updateRule = (entry: Standing, viewer: Viewer): Verdict => {
  const isRequester = entry.created_by === viewer.caller.id;
  if (entry.status === 'PENDING') return isRequester ? true : ownerRule(entry, viewer);
  if (entry.status === 'REJECTED') return isRequester ? true : 'NotCatalogueOwner';
  return ifActive(entry, ownerRule(entry, viewer));
};

export const canOf = (entry: Standing, viewer: Viewer): Can => ({
  update: updateRule(entry, viewer),
  /** Everybody may claim ownership. */
  changeOwners: ifActive(entry, true),
  decommission: ifActive(entry, ownerRule(entry, viewer)),
  putBack: entry.status === 'DECOMMISSIONED' ? approverRule(viewer) : 'EntryNotDecommissioned',
  ...(entry.kind === 'application' && {
    attest: ifActive(entry, ownerRule(entry, viewer)),
    reportIssue: ifActive(entry, true),
    unlink: entry.app ? approverRule(viewer) : 'MacIdNotLinked',
  }),
  ...(entry.kind === 'product' && {
    changeContents: ifActive(entry, viewer.isApprover ? true : ownerRule(entry, viewer)),
  }),
});
