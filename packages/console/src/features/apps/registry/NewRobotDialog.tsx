/** The form of a robot account, and its secret, shown once. */
import { robotAccountCreate, RobotAccountCreate, robotPermissions, type RobotAccount } from '@slipway/contract/container-registry.ts';
import { CommandLine } from '@slipway/ui/text/CommandLine.tsx';
import { useWatch } from 'react-hook-form';
import { useWrite } from '#kit/api/write.ts';
import { CheckboxesField } from '#kit/form/ChoiceFields.tsx';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import { ShownOnce } from '#kit/page/ShownOnce.tsx';

export interface MadeRobot {
  username: string;
  secret: string;
  host: string;
}
type Permission = RobotAccount['permissions'][number];

const words: Readonly<Record<Permission, string>> = {
  pull: 'pull – read images',
  push: 'push – add images and tags',
  delete: 'delete – remove images and tags',
};
const options = robotPermissions.map((value) => ({ value, label: words[value] }));

interface NewRobotDialogProps {
  place: { app: string; env: string };
  known: readonly RobotAccount[];
  onClose: () => void;
  onMade: (robot: MadeRobot) => void;
}

export function NewRobotDialog({ place, known, onClose, onMade }: NewRobotDialogProps) {
  const create = useWrite(robotAccountCreate);
  const form = useApiForm({
    schema: RobotAccountCreate,
    defaultValues: { name: '', permissions: ['pull', 'push'] as Permission[], renew: false },
    labels: { name: 'Name', permissions: 'Permissions' },
    onSubmit: async (body) => {
      // Whoever typed a name that stands in the list has read the hint: the old secret ends.
      const renew = known.some(({ name }) => name === body.name);
      onMade(await create.send({ params: place, body: { ...body, renew } }));
      onClose();
    },
  });
  const name = useWatch({ control: form.control, name: 'name' }).trim();
  const isKnown = known.some((robot) => robot.name === name);
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title="New robot account"
      submitLabel={isKnown ? 'Make a new secret' : 'Create robot account'}
      busyLabel="Creating"
    >
      <TextField
        form={form}
        name="name"
        spellCheck={false}
        autoCapitalize="off"
        hint={
          isKnown ? `${name} exists: it gets a new secret, and the old one ends.` : `It logs in as robot$${place.app}+${name || 'name'}.`
        }
      />
      <CheckboxesField form={form} name="permissions" options={options} />
    </FormDialog>
  );
}

export function RobotSecret({ robot, onClose }: { robot: MadeRobot; onClose: () => void }) {
  return (
    <ShownOnce
      title={
        <>
          The secret of <strong>{robot.username}</strong>.
        </>
      }
      secret={robot.secret}
      onClose={onClose}
    >
      <CommandLine command={`docker login ${robot.host} -u '${robot.username}'`} />
    </ShownOnce>
  );
}
