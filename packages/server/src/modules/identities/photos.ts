/** Profile photos, stored with the identity. */
import { mePhoto } from '@slipway/contract/identity.ts';
import { identityPhotoSet, maxPhotoKilobytes, mePhotoSet } from '@slipway/contract/photo.ts';
import { transaction, type Db } from '#db/database.ts';
import { handle, type Caller, type Handler } from '#kernel/http/handle.ts';
import { Problem } from '#kernel/problem.ts';
import { recordWrite } from '#modules/activity/index.ts';

/** Returns the media type of the bytes, whatever the uploaded file was called. */
const typeOf = (bytes: Buffer): string | undefined => {
  const start = bytes.toString('latin1', 0, 12);
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  return /^RIFF.{4}WEBP$/s.test(start) ? 'image/webp' : undefined;
};

const setPhoto = async (db: Db, caller: Caller, route: { readonly id: string }, id: string, photo: string | null): Promise<undefined> => {
  const bytes = photo === null ? null : Buffer.from(photo, 'base64');
  const type = bytes && typeOf(bytes);
  if (bytes && (!type || bytes.length > maxPhotoKilobytes * 1024)) throw new Problem('PhotoInvalid', { field: 'photo' });
  await transaction(db, async (trx) => {
    const person = await trx
      .updateTable('identity')
      .set({ photo: bytes, photo_type: type ?? null })
      .where('id', '=', id)
      .$if(id !== caller.id, (query) => query.where('type', '=', 'USER'))
      .returning('display_name')
      .executeTakeFirst();
    if (!person) throw new Problem('AzureADAzureADUserDoesNotExist');
    const whose = id === caller.id ? 'their photo' : `the photo of ${person.display_name}`;
    await recordWrite(trx, caller, {
      type: route.id,
      reason: 'Directory',
      message: `${caller.displayName} ${bytes ? 'set' : 'removed'} ${whose}`,
      after: { id, photoBytes: bytes?.length ?? 0 },
    });
  });
  return undefined;
};

export const photoRoutes = (db: Db): Handler[] => [
  handle(mePhoto, async ({ caller, reply }) => {
    const row = await db.selectFrom('identity').select(['photo', 'photo_type']).where('id', '=', caller.id).executeTakeFirst();
    // Smaller photos are the directory's placeholder (specification §2). Initials look better.
    if (!row?.photo || row.photo.length <= 500) throw new Problem('MISSING_RESOURCE');
    return (
      reply
        .type(row.photo_type ?? 'image/jpeg')
        // The same address shows another person after another sign-in.
        .header('cache-control', 'private, no-store')
        .header('content-security-policy', "sandbox; default-src 'none'")
        .header('x-content-type-options', 'nosniff')
        .send(row.photo)
    );
  }),
  handle(mePhotoSet, ({ caller, body }) => setPhoto(db, caller, mePhotoSet, caller.id, body.photo)),
  handle(identityPhotoSet, ({ caller, body, params }) => setPhoto(db, caller, identityPhotoSet, params.identityId, body.photo)),
];
