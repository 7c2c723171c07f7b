/** The signed-in user: who they are, and their photo. */
import { mePhotoSet } from '@slipway/contract/photo.ts';
import { KeyValue } from '@slipway/ui/layout/KeyValue.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { Avatar } from '@slipway/ui/text/Avatar.tsx';
import { PhotoButtons } from '#entities/team/PhotoButtons.tsx';
import { showPhoto, useMe, usePhoto } from '#entities/team/me.ts';
import { useWrite } from '#kit/api/write.ts';
import { PlainPage } from '#kit/page/PlainPage.tsx';

export function Component() {
  const { data: me } = useMe();
  const photo = usePhoto();
  const write = useWrite(mePhotoSet);
  const name = me?.displayName ?? '';
  const save = async (changed: string | null): Promise<void> => {
    await write.send({ body: { photo: changed } });
    await showPhoto(changed && `data:image/jpeg;base64,${changed}`);
    toast.success(changed ? 'Your photo is saved' : 'Your photo is removed');
  };
  return (
    <PlainPage name="Profile" lede="How you appear in Slipway." className="stack stack-24">
      <Panel aria-labelledby="photo">
        <PanelHead title="Photo" titleId="photo" />
        <PanelBody className="stack stack-12">
          <div className="row">
            <Avatar name={name} photo={photo ?? null} size="lg" isMachine={me?.type === 'SERVICE_ACCOUNT'} />
            <p className="meta">Shown in the header. Without a photo, the header shows your initials.</p>
          </div>
          <PhotoButtons save={save} />
        </PanelBody>
      </Panel>
      <Panel aria-labelledby="details">
        <PanelHead title="Details" titleId="details" note="From the company directory" />
        <PanelBody>
          <KeyValue
            items={[
              { label: 'Name', value: name },
              { label: 'E-mail', value: me?.email ?? 'None' },
            ]}
          />
        </PanelBody>
      </Panel>
    </PlainPage>
  );
}
