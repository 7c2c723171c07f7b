/** Administrators set the photos of people. */
import { identityPhotoSet } from '@slipway/contract/photo.ts';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { toast } from '@slipway/ui/overlay/toast.ts';
import { useState } from 'react';
import { PhotoButtons } from '#entities/team/PhotoButtons.tsx';
import { PersonSearch, type Person } from '#entities/team/index.ts';
import { useWrite } from '#kit/api/write.ts';

const none: ReadonlySet<string> = new Set();

export function PeoplePhotos() {
  const write = useWrite(identityPhotoSet);
  const [person, setPerson] = useState<Person>();
  const [isMissing, setMissing] = useState(false);
  const save = async (photo: string | null): Promise<void> => {
    if (!person) return;
    await write.send({ params: { identityId: person.id }, body: { photo } });
    toast.success(`The photo of ${person.displayName} is ${photo ? 'saved' : 'removed'}`);
  };
  return (
    <Panel aria-labelledby="photos">
      <PanelHead title="Profile photos" titleId="photos" />
      <PanelBody className="stack stack-12">
        <p className="meta">People set their own photo on their profile page. You can set or remove the photo of anybody.</p>
        <PersonSearch
          label="Person"
          chosen={person}
          taken={none}
          emptyText="Nobody fits"
          error={isMissing ? 'Person is required' : undefined}
          onAdd={(next) => {
            setPerson(next);
            setMissing(false);
          }}
        />
        <PhotoButtons
          save={save}
          mayChange={() => {
            setMissing(person === undefined);
            return person !== undefined;
          }}
        />
      </PanelBody>
    </Panel>
  );
}
