/** Databases. */
import type { ErrorEntry } from './error-entry.ts';

export const databasesErrors = {
  DatabaseDoesNotExist: { status: 404, message: 'Database does not exist' },
  DatabaseAlreadyExists: { status: 409, message: 'Database already exists' },
  DatabaseNotCreated: { status: 409, message: 'The database is not there as a whole. Re-run its pipeline, or delete it.' },
  ExistingTopics: { status: 409, message: 'Topics, schemas or accounts of the app still exist. Delete them first.' },
  ExistingDatabases: { status: 409, message: 'Databases of the app still exist. Delete them first.' },
  DatabaseInactive: { status: 409, message: 'The database is inactive. Activate it first.' },
  DatabasePipelineRunning: { status: 409, message: 'A pipeline of this database is running. Settings can be changed when it is through.' },
  NotAPowerOfTwo: { status: 400, message: '{label} must be a power of 2: 32, 64, 128 …' },
  ConnectionsNotLeft: { status: 400, message: 'The database server has {left} connections left for this database. Choose fewer.' },
  StorageCannotBeDecreased: { status: 400, message: 'Storage cannot be decreased. It has {min} GB.' },
  FormerPasswordValid: { status: 409, message: 'The former password still works. End it first, or wait until it has ended.' },
  BackupDoesNotExist: { status: 404, message: 'Backup does not exist' },
  BackupNotComplete: { status: 409, message: 'The backup is not complete' },
  BackupInUse: { status: 409, message: 'The backup is being made or checked' },
  BackupAlreadyPending: { status: 409, message: 'A backup of this database is being made already' },
  NoFormerPassword: { status: 409, message: 'No former password is valid any more' },
} as const satisfies Record<string, ErrorEntry>;
