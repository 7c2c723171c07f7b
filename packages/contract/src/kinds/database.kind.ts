/** The kind `database`. Non-members cannot tell whether a database exists. */
import { appKind } from './application.kind.ts';
import { declareKind } from '../kernel/subject.ts';

export const databaseKind = declareKind({
  kind: 'database',
  label: 'Database',
  plural: 'Databases',
  under: appKind,
  names: ['env', 'database'],
  access: 'appMemberHidden',
  shownBy: ['database', 'appMap'],
  path: '/app/{app}/{env}/database/{database}',
  listPath: '/app/{app}/{env}/database',
  newPath: '/app/{app}/{env}/new-database',
  pipelines: {
    CreateDatabase: 'Create database',
    UpdateDatabase: 'Change database',
    DeleteDatabase: 'Delete database',
    DatabaseActivation: 'Activate or deactivate database',
    RotateDatabasePassword: 'Change database password',
    OpenDatabaseReader: 'Turn on read-only login',
    CloseDatabaseReader: 'Turn off read-only login',
  },
  steps: {
    ProvisionDatabase: 'Make database and roles',
    MakeDatabasePassword: 'Make password and secret group',
    ApplyDatabaseLimits: 'Apply limits',
    OpenReader: 'Make read-only login and its secret group',
    MakeReaderPassword: 'Make password of the read-only login',
    DeleteReaderGroup: 'Delete secret group of the read-only login',
    CloseReader: 'Close read-only login',
    AcceptConnections: 'Accept or refuse connections',
    CloseDatabase: 'Close connections',
    BackUpDatabase: 'Make a last backup',
    RestoreRows: 'Restore schema and rows',
    DropDatabase: 'Remove database and roles',
  },
});
