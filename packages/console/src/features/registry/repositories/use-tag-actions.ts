/** Actions for a tag: scan its image again, or delete it. */
import { imageTagDelete, type ImageTag } from '@slipway/contract/registry/images.ts';
import { imageScanCreate, imageScanView } from '@slipway/contract/registry/scan.ts';
import { count } from '@slipway/ui/format/count.ts';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { refresh } from '#entities/changes/refresh.ts';
import { keepAnswer } from '#kit/api/query.ts';
import { useWrite } from '#kit/api/write.ts';
import { confirmAction } from '#kit/confirm/confirm-action.ts';
import { toastError } from '#kit/error/toast-error.ts';
import { imageParams } from '#features/registry/ScanStatus.tsx';
import type { AppRef } from '#entities/paths.ts';

export interface TagActions {
  scan: (tag: string) => Promise<void>;
  isScanning: boolean;
  remove: (tag: Pick<ImageTag, 'tag' | 'runs'>) => void;
}

export const useTagActions = (place: AppRef, repository: string, onDeleted?: () => Promise<void> | void): TagActions => {
  const scan = useWrite(imageScanCreate);
  const remove = useWrite(imageTagDelete);
  return {
    isScanning: scan.isBusy,
    scan: async (tag) => {
      const params = imageParams({ ...place, repository, tag });
      try {
        await keepAnswer(imageScanView, { params }, await scan.send({ params }));
        await refresh({ kind: 'containerRegistry', app: place.app });
      } catch (error) {
        toastError(`${tag} is not scanned`, error);
      }
    },
    remove: ({ tag, runs }) =>
      confirmAction({
        title: `Delete ${tag}?`,
        description: 'The image goes with its last tag. This cannot be undone.',
        ...(runs.length === 0
          ? {}
          : { consequences: [`A rollback to ${count(runs.length, 'revision')} of this image is no longer possible`] }),
        confirmLabel: 'Delete tag',
        busyLabel: 'Deleting',
        run: async () => {
          await remove.send({ params: imageParams({ ...place, repository, tag }) });
          toast.success(`${tag} is deleted`);
          await onDeleted?.();
          await refresh({ kind: 'containerRegistry', app: place.app });
        },
      }),
  };
};
