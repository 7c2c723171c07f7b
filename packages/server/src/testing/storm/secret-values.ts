/** Opens every version of every secret, as a member of the team may, and holds its value to the journal. */
import { serviceAccountCreate } from '@slipway/contract/identity.ts';
import { secretReveal } from '@slipway/contract/secret/secret-group.ts';
import { programToken } from '../program.ts';
import type { Checked } from './row-checks.ts';
import type { StormClient } from './storm-client.ts';
import { environment } from './storm-apps.ts';
import { secretGroup, secretKey } from './writers.ts';

/** The administrator's token may not read secrets: a service account of the team does. */
export const makeReader = async (client: StormClient, team: string): Promise<string> => {
  const made = await client.call(serviceAccountCreate, { params: { team }, body: { displayName: 'Reader' } }, programToken);
  if (made.status !== 201) throw new Error(`The reader could not be made: ${JSON.stringify(made.body)}`);
  return (made.body as { token: { token: string } }).token.token;
};

export const secretValueChecks = async ({ platform, journal }: Checked, client: StormClient, reader: string): Promise<string[]> => {
  const versions = await platform.rows<{ app: string; version: number }>(
    'select app_id as app, version from secret_version join secret_group on secret_group.id = group_id where name = $1',
    [secretGroup],
  );
  const made = [...journal.of('secret.group'), ...journal.of('secret.version')];
  const faults: string[] = [];
  for (const { app, version } of versions) {
    const body = { key: secretKey, version, reason: 'The storm looks at it' };
    const answer = await client.call(secretReveal, { params: { app, env: environment, group: secretGroup }, body }, reader);
    const { value } = (answer.body ?? {}) as { value?: string };
    const reported = made.find((entry) => entry.app === app && entry.fate === 'acknowledged' && entry.reported === String(version));
    const isMeant = reported
      ? reported.name === value
      : made.some((entry) => entry.app === app && entry.fate === 'unanswered' && entry.name === value);
    if (!isMeant)
      faults.push(`Version ${version} of the secret of ${app} reads ${value ?? answer.status}, not ${reported?.name ?? 'what was sent'}`);
  }
  return faults;
};
