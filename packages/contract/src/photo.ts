/** Photos in the platform's own directory of people. */
import * as z from 'zod/mini';
import { route } from './kernel/kernel.ts';

export const maxPhotoKilobytes = 256;
/** A PNG, JPEG or WebP image in base64. Null removes the photo. */
const PhotoChange = z.object({ photo: z.nullable(z.string({ error: 'Required' }).check(z.base64({ error: 'PhotoInvalid' }))) });

const shared = {
  method: 'PUT',
  body: PhotoChange,
  bodyLimitKilobytes: Math.ceil((maxPhotoKilobytes * 4) / 3) + 1,
  description: 'A photo of at most 500 bytes is stored, but initials are shown instead.',
} as const;
const codes = ['Required', 'InvalidValue', 'PhotoInvalid'] as const;
export const mePhotoSet = route({
  ...shared,
  id: 'mePhotoSet',
  path: '/api/v1/me/photo',
  summary: 'Set or remove the own profile photo',
  tag: 'Me',
  access: 'signedIn',
  codes,
});
export const identityPhotoSet = route({
  ...shared,
  id: 'identityPhotoSet',
  path: '/api/team-service/identities/v1/{identityId}/photo',
  summary: "Set or remove a person's profile photo",
  tag: 'Identities',
  access: 'administrator',
  codes: [...codes, 'NotAnAdministrator', 'AzureADAzureADUserDoesNotExist'],
});
