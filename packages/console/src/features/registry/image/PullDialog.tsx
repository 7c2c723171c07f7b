/** The commands that pull an image: by tag, and by digest, which is immutable. */
import { Button } from '@slipway/ui/form/Button.tsx';
import { Dialog } from '@slipway/ui/overlay/Dialog.tsx';
import { CommandLine } from '@slipway/ui/text/CommandLine.tsx';
import { runtimeConfig } from '#kit/api/runtime-config.ts';
import type { ImageRef } from '#features/registry/ScanStatus.tsx';

export function PullDialog({ image, digest, onClose }: { image: ImageRef; digest: string; onClose: () => void }) {
  const { registryHost } = runtimeConfig();
  const name = `${registryHost}/${image.app}/${image.repository}`;
  return (
    <Dialog isOpen onClose={onClose} title={`Pull ${image.tag}`} size="lg" actions={<Button onClick={onClose}>Done</Button>}>
      <div className="stack stack-8">
        <CommandLine command={`docker login ${registryHost} -u 'robot$${image.app}+NAME'`} />
        <CommandLine command={`docker pull ${name}:${image.tag}`} />
        <p className="meta">By its digest it is this image for good, wherever the tag moves:</p>
        <CommandLine command={`docker pull ${name}@${digest}`} />
      </div>
    </Dialog>
  );
}
