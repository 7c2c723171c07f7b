/** Streaming: accounts and access to topics. */
import type { ErrorEntry } from './error-entry.ts';

export const accountsErrors = {
  AccountDoesNotExist: { status: 404, message: 'Account does not exist' },
  AccountNameRequired: { status: 400, message: 'Please provide an account name' },
  AccountNotCreated: { status: 409, message: 'The account is not there as a whole. Re-run its pipeline, or delete it.' },
  AccountPasswordGone: { status: 409, message: 'There is no password to show. It was shown already, or its time is over. Rotate it.' },
  AccountPasswordOfOther: { status: 403, message: 'The password is shown once, to {name}, who asked for it' },
  DuplicateTopic: { status: 400, message: 'The topic {topic} stands in the list twice' },
  TopicNotShared: { status: 409, message: 'The team of {topic} does not share it with other teams' },
  RequestDoesNotExist: { status: 404, message: 'Request does not exist' },
  RequestDecided: { status: 409, message: 'This is decided already: {name} {decision} it {minutes} min ago' },
  RequestChanged: { status: 409, message: 'The request has changed: it has revision {revision} now. Read it again before you decide.' },
  RequestVoid: { status: 409, message: 'The request is void and can no longer be approved: {reason}' },
  RequestAlreadyPending: { status: 409, message: 'You have asked for this already: {request} waits for a decision' },
  RequestNotRepeatable: { status: 409, message: 'This request cannot be raised again' },
  ApprovalRequired: {
    status: 409,
    message: 'A second person of {team} approves changes in production. Request the change instead.',
  },
  ApprovalNotNeeded: { status: 409, message: 'This change needs no approval. Make it directly.' },
  QuickstartNeedsApproval: {
    status: 409,
    message: 'A second person of {team} approves changes in production. Make the service in development, then copy it.',
  },
  ApproverMustBePerson: { status: 403, message: 'Only a person can approve a change in production' },
  ChangeNoLongerFits: { status: 409, message: 'The change is no longer possible: {reason}' },
  OwnRequest: {
    status: 403,
    message: 'You asked for this yourself, or a service account with a token of yours did. Another person must decide.',
  },
  NotADecider: { status: 403, message: 'You may read this request, but others decide it' },
  NotTheRequester: { status: 403, message: 'Only those who raised the request can change or withdraw it' },
  AssigneeMayNotDecide: { status: 400, message: '{id} may not decide this request' },
  TooManyComments: { status: 409, message: 'A request can have at most {max} comments' },
  TopicGrantDoesNotExist: { status: 404, message: 'Request does not exist' },
  TopicGrantDecided: { status: 409, message: 'This is decided already: {name} {decision} it {minutes} min ago' },
  TopicGrantNotApproved: { status: 409, message: 'Only an approved request can be taken back' },
} as const satisfies Record<string, ErrorEntry>;
