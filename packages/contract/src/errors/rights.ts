/** Sign-in and rights. */
import type { ErrorEntry } from './error-entry.ts';

export const rightsErrors = {
  NotSignedIn: { status: 401, message: 'Sign in to go on' },
  TokenInvalid: {
    status: 401,
    message: 'The token is expired, revoked or not meant for this platform. Sign in again.',
  },
  TokenScopeMissing: { status: 403, message: 'This token does not carry the scope {scope}' },
  NotAMember: { status: 403, message: 'Only members of the team {team} can do this' },
  NotAnOwner: { status: 403, message: 'Only owners of the team {team} can do this' },
  NotAnAdministrator: { status: 403, message: 'Only platform administrators can do this' },
  MacIdAlreadySet: { status: 409, message: 'The macId is set already and cannot be changed' },
  MacIdDoesNotExist: { status: 400, message: 'The catalog has no application with this macId' },
  MacIdInUse: { status: 409, message: 'Another app carries this macId' },
} as const satisfies Record<string, ErrorEntry>;
