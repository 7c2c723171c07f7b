/** Creates a service account for the team: its name, then its first token, shown once. */
import { serviceAccountCreate } from '@slipway/contract/identity.ts';
import type { Team } from '@slipway/contract/team.ts';
import { Button } from '@slipway/ui/form/Button.tsx';
import { CommandLine } from '@slipway/ui/text/CommandLine.tsx';
import { Dialog } from '@slipway/ui/overlay/Dialog.tsx';
import { useState } from 'react';
import { refresh } from '#entities/changes/refresh.ts';
import { useWrite } from '#kit/api/write.ts';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import { useSecretGuard } from '#kit/page/ShownOnce.tsx';

interface Made {
  name: string;
  token: string;
}
interface DialogProps {
  team: Team;
  onClose: () => void;
}

export function ServiceAccountDialog(props: DialogProps) {
  const [made, setMade] = useState<Made>();
  return made ? <MadeAccount made={made} onClose={props.onClose} /> : <AccountForm {...props} onMade={setMade} />;
}

function AccountForm({ team, onClose, onMade }: DialogProps & { onMade: (made: Made) => void }) {
  const create = useWrite(serviceAccountCreate);
  const form = useApiForm({
    schema: serviceAccountCreate.body,
    defaultValues: { displayName: '' },
    labels: { displayName: 'Name' },
    onSubmit: async (body) => {
      const { identity, token } = await create.send({ params: { team: team.id }, body });
      onMade({ name: identity.displayName, token: token.token });
      // The new account appears in the team, its members and its activity, so all of them are reloaded.
      await refresh({ kind: 'team', team: team.id });
    },
  });
  return (
    <FormDialog form={form} onClose={onClose} title="New service account" submitLabel="Create service account" busyLabel="Creating">
      <TextField
        form={form}
        name="displayName"
        hint={`A member of ${team.displayName} that is no person: for CI and scripts. It can do what members can do.`}
      />
    </FormDialog>
  );
}

function MadeAccount({ made, onClose }: { made: Made; onClose: () => void }) {
  const { onCopied, close, guard } = useSecretGuard(made.token, onClose);
  return (
    <Dialog
      isOpen
      onClose={close}
      title={`${made.name} created`}
      actions={
        <Button variant="primary" onClick={close}>
          Done
        </Button>
      }
    >
      <div className="stack stack-8">
        <p>Its first token, good for 90 days, with every scope. Copy it now: it is shown only this once.</p>
        <CommandLine command={made.token} onCopied={onCopied} />
      </div>
      {guard}
    </Dialog>
  );
}
