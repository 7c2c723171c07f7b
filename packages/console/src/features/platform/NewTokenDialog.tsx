/** The form of a new API token. Shows the created token once. */
import { ApiTokenCreate, meTokenCreate, tokenScopes, type IssuedApiToken, type TokenScope } from '@slipway/contract/identity.ts';
import type * as z from 'zod/mini';
import { runtimeConfig } from '#kit/api/runtime-config.ts';
import { useWrite } from '#kit/api/write.ts';
import { CheckboxesField } from '#kit/form/ChoiceFields.tsx';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { NumberInputField } from '#kit/form/NumberInputField.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import { ShownOnce } from '#kit/page/ShownOnce.tsx';

export type MadeToken = z.infer<typeof IssuedApiToken>;

const scopeLabels: Readonly<Record<TokenScope, string>> = {
  read: 'read – see what you can see',
  write: 'write – change what you can change',
  git: 'git – clone and push repositories',
  registry: 'registry – pull and push images',
};
const scopeOptions = tokenScopes.map((scope) => ({ value: scope, label: scopeLabels[scope] }));
const defaultDays = 30;

interface NewTokenDialogProps {
  onClose: () => void;
  onMade: (token: MadeToken) => void;
}

export function NewTokenDialog({ onClose, onMade }: NewTokenDialogProps) {
  const create = useWrite(meTokenCreate);
  const form = useApiForm({
    schema: ApiTokenCreate,
    defaultValues: { name: '', scopes: ['read'] as TokenScope[], expiresInDays: defaultDays },
    labels: { name: 'Name', scopes: 'Scopes', expiresInDays: 'Days until it expires' },
    onSubmit: async (body) => {
      onMade(await create.send({ body }));
      onClose();
    },
  });
  return (
    <FormDialog form={form} onClose={onClose} title="New API token" submitLabel="Create token" busyLabel="Creating">
      <TextField form={form} name="name" hint="What will use it, for instance the name of a CI job." />
      <CheckboxesField form={form} name="scopes" options={scopeOptions} />
      <NumberInputField form={form} name="expiresInDays" unit="days" min={1} max={365} hint="1 to 365 days." />
    </FormDialog>
  );
}

const isFor = (token: MadeToken, scope: MadeToken['scopes'][number]): boolean => token.scopes.includes(scope);

export function NewTokenCard({ token, onClose }: { token: MadeToken; onClose: () => void }) {
  const { registryHost } = runtimeConfig();
  return (
    <ShownOnce
      title={
        <>
          Token <strong>{token.name}</strong> created.
        </>
      }
      secret={token.token}
      onClose={onClose}
    >
      {isFor(token, 'read') && (
        <p className="meta">
          Send it as <code>Authorization: Bearer …</code>
        </p>
      )}
      {isFor(token, 'git') && <p className="meta">With git it is the password; any user name will do.</p>}
      {isFor(token, 'registry') && (
        <p className="meta">
          With docker: <code>docker login {registryHost}</code>, any user name, and this as the password.
        </p>
      )}
    </ShownOnce>
  );
}
