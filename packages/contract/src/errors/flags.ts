/** Feature flags. */
import type { ErrorEntry } from './error-entry.ts';

export const flagsErrors = {
  FlagDoesNotExist: { status: 404, message: 'Flag does not exist' },
  FlagAlreadyExists: { status: 409, message: 'A flag of this name exists' },
  FlagLimitReached: { status: 409, message: 'An app may have at most {max} {what}' },
  FlagValueInvalid: { status: 400, message: 'The value must be of the type of the flag: {type}' },
  FlagRuleInvalid: {
    status: 400,
    message: 'The rule is incomplete: ids are unique, the end is after the start, a split has two or more shares of 100 % in all',
  },
  FlagConditionInvalid: {
    status: 400,
    message: 'The condition uses an unknown operator, or a pattern that is too slow to match: use at most one of * + ? {} in a pattern',
  },
  FlagPrerequisiteInvalid: { status: 400, message: 'The prerequisite {flag} is archived or does not exist' },
  FlagPrerequisiteCycle: { status: 400, message: 'The prerequisites form a circle: {flags}' },
  FlagRuleGroupMissing: { status: 400, message: 'The saved group {group} does not exist' },
  FlagIsPrerequisite: { status: 409, message: 'Other flags depend on this flag. Remove it from their rules first.' },
  FlagVersionConflict: { status: 409, message: 'Somebody saved version {version} meanwhile. Look at it, then save again.' },
  FlagVersionDoesNotExist: { status: 404, message: 'The history has no such version' },
  FlagGroupDoesNotExist: { status: 404, message: 'Saved group does not exist' },
  FlagGroupAlreadyExists: { status: 409, message: 'A saved group of this name exists' },
  FlagGroupInUse: { status: 409, message: 'Flags use the group. Remove it from their rules first.' },
  FlagKeyDoesNotExist: { status: 404, message: 'Client key does not exist' },
  FlagKeyAlreadyExists: { status: 409, message: 'A client key of this name exists' },
  ClientKeyUnknown: { status: 404, message: 'No such client key. Copy it from the flags of the app.' },
  ClientKeyIsRemote: { status: 400, message: 'The client key is for remote evaluation. Set remoteEval in the SDK.' },
} as const satisfies Record<string, ErrorEntry>;
