/** How to push an image by hand: three commands to copy, for the chosen client. */
import { Button } from '@slipway/ui/form/Button.tsx';
import { Segmented } from '@slipway/ui/form/Segmented.tsx';
import { Link } from '@slipway/ui/layout/Link.tsx';
import { Dialog } from '@slipway/ui/overlay/Dialog.tsx';
import { CommandLine } from '@slipway/ui/text/CommandLine.tsx';
import { useState } from 'react';
import { runtimeConfig } from '#kit/api/runtime-config.ts';
import { paths, type AppRef } from '#entities/paths.ts';
import { pushCommands, pushTools, type PushTool } from './push-commands.ts';

export interface PushCommandsProps {
  place: AppRef;
  repository?: string | undefined;
}

export function PushCommands({ place, repository }: PushCommandsProps) {
  const [tool, setTool] = useState<PushTool>('docker');
  const target = { host: runtimeConfig().registryHost, project: place.app, repository, isPlain: location.protocol === 'http:' };
  return (
    <div className="stack stack-8">
      <Segmented label="Client" options={pushTools.map((value) => ({ value, label: value }))} value={tool} onChange={setTool} />
      {pushCommands(tool, target).map((command) => (
        <CommandLine key={command} command={command} />
      ))}
      <p className="meta">
        Log in with a{' '}
        <Link className="in" href={paths.containerRegistry(place, 'robot-accounts')}>
          robot account
        </Link>{' '}
        that may push, or with an API token of scope registry.
      </p>
    </div>
  );
}

export function PushDialog({ onClose, ...props }: PushCommandsProps & { onClose: () => void }) {
  return (
    <Dialog isOpen onClose={onClose} title="Push an image" size="lg" actions={<Button onClick={onClose}>Done</Button>}>
      <PushCommands {...props} />
    </Dialog>
  );
}
