/** The dialogs of a robot account: create, edit, and rotate, which keeps the account and replaces the secret. */
import {
  robotAccountCreate,
  robotAccountRotate,
  robotAccountUpdate,
  robotPresets,
  type RobotAccount,
  type RobotSecret,
} from '@slipway/contract/registry/robot-account.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import type * as z from 'zod/mini';
import { refresh } from '#entities/changes/refresh.ts';
import type { AppRef } from '#entities/paths.ts';
import { useWrite } from '#kit/api/write.ts';
import { FormDialog } from '#kit/form/FormDialog.tsx';
import { TextField } from '#kit/form/TextField.tsx';
import { useApiForm } from '#kit/form/use-api-form.ts';
import { PermissionMatrix } from './PermissionMatrix.tsx';
import { ExpiryField, OverlapField, SecretDestination, type Destination } from './RobotFields.tsx';
import { expiresOnOf, newRobotValues, robotLabels, robotSchema } from './robot-form.ts';

export type MadeSecret = z.infer<typeof RobotSecret>;

interface DialogProps {
  place: AppRef;
  onClose: () => void;
}
const params = ({ app, env }: AppRef) => ({ app, env });
const refreshRobots = ({ app }: AppRef) => refresh({ kind: 'robotAccount', app });

export function NewRobotDialog({ place, onClose, onMade }: DialogProps & { onMade: (secret: MadeSecret) => void }) {
  const create = useWrite(robotAccountCreate);
  const [destination, setDestination] = useState<Destination>('screen');
  const form = useApiForm({
    schema: robotSchema({ isNew: true, isIntoGroup: destination === 'group' }),
    defaultValues: { ...newRobotValues(), permissions: [...robotPresets.push] },
    labels: robotLabels,
    onSubmit: async ({ name, description, permissions, expiresOn, into }) => {
      const body = { name, description, permissions, expiresOn: expiresOnOf(expiresOn), ...(destination === 'group' ? { into } : {}) };
      onMade(await create.send({ params: params(place), body }));
      onClose();
      await refreshRobots(place);
    },
  });
  const name = useWatch({ control: form.control, name: 'name' }).trim();
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title="New robot account"
      submitLabel={name === '' ? 'Create robot account' : `Create ${name}`}
      busyLabel="Creating"
    >
      <TextField
        form={form}
        name="name"
        lead={`robot$${place.app}+`}
        isMono
        spellCheck={false}
        autoCapitalize="off"
        hint="It cannot be changed later."
      />
      <ExpiryField form={form} />
      <TextField form={form} name="description" labelNote="optional" placeholder="Build pipeline on GitHub" />
      <PermissionMatrix form={form} />
      <SecretDestination form={form} app={place.app} value={destination} onChange={setDestination} />
    </FormDialog>
  );
}

export function EditRobotDialog({ place, robot, onClose }: DialogProps & { robot: RobotAccount }) {
  const update = useWrite(robotAccountUpdate);
  const form = useApiForm({
    schema: robotSchema(),
    defaultValues: {
      ...newRobotValues(),
      description: robot.description,
      permissions: robot.permissions,
      expiresOn: robot.expiresOn ?? '',
    },
    labels: robotLabels,
    onSubmit: async ({ description, permissions, expiresOn }) => {
      const body = { description, permissions, expiresOn: expiresOnOf(expiresOn) };
      await update.send({ params: { ...params(place), robot: robot.name }, body });
      toast.success(`${robot.name} is saved`);
      onClose();
      await refreshRobots(place);
    },
  });
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={`Edit ${robot.name}`}
      description="Its secret stays. What it may do changes within five minutes."
      submitLabel="Save robot account"
      busyLabel="Saving"
    >
      <TextField form={form} name="description" labelNote="optional" />
      <ExpiryField form={form} />
      <PermissionMatrix form={form} />
    </FormDialog>
  );
}

interface RotateProps extends DialogProps {
  robot: RobotAccount;
  onMade: (secret: MadeSecret) => void;
}
export function RotateRobotDialog({ place, robot, onClose, onMade }: RotateProps) {
  const rotate = useWrite(robotAccountRotate);
  const [destination, setDestination] = useState<Destination>('screen');
  /** An account that expired or is about to expire gets a new date. Otherwise the date is kept. */
  const isEnding = robot.state === 'EXPIRED' || robot.state === 'EXPIRING';
  const usual = newRobotValues();
  const form = useApiForm({
    schema: robotSchema({ hasPermissions: false, isIntoGroup: destination === 'group' }),
    defaultValues: {
      ...usual,
      expiresOn: isEnding ? usual.expiresOn : (robot.expiresOn ?? ''),
      overlapHours: robot.state === 'EXPIRED' ? 0 : 1,
    },
    labels: robotLabels,
    onSubmit: async ({ expiresOn, overlapHours, into }) => {
      const day = expiresOnOf(expiresOn);
      const body = {
        overlapHours,
        ...(day === robot.expiresOn ? {} : { expiresOn: day }),
        ...(destination === 'group' ? { into } : {}),
      };
      onMade(await rotate.send({ params: { ...params(place), robot: robot.name }, body }));
      onClose();
      await refreshRobots(place);
    },
  });
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={`Rotate ${robot.name}`}
      description="The account keeps its name and permissions and gets a new secret."
      submitLabel={isEnding ? 'Rotate and extend' : 'Rotate'}
      busyLabel="Rotating"
    >
      {robot.state !== 'EXPIRED' && <OverlapField form={form} />}
      <ExpiryField form={form} />
      <SecretDestination form={form} app={place.app} value={destination} onChange={setDestination} />
    </FormDialog>
  );
}
