/**
 * Deletes an app after the user types its name; the dialog lists everything that is deleted with it. Also discards an app whose creation
 * failed.
 */
import { applicationDelete, type Application } from '@slipway/contract/application.ts';
import { paths } from '#entities/paths.ts';
import { useRemoval } from '#kit/confirm/use-removal.ts';

export const useAppRemoval = ({ id }: Application) =>
  useRemoval({
    route: applicationDelete,
    input: { params: { app: id } },
    title: id,
    home: paths.myApps(),
    description: 'The app goes away in both environments. This cannot be undone.',
    consequences: ['Its repositories and their history are gone for good', 'Its registry project and all images are gone for good'],
    confirmWord: id,
    freed: 'The name becomes free again.',
  });
