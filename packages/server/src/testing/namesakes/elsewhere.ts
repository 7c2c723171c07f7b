/** Writes that no recipe carries out, with the reason why they cannot reach a namesake. */
const identity = 'belongs to a person or service account, who is in no environment';
const team = 'belongs to a team, which is in no environment';
const newApp = 'makes an app, as quickstartApplicationCreate does';
const platform = 'is for the whole platform, and changes every environment on purpose';

export const elsewhere: Readonly<Record<string, string>> = {
  meSessionsDelete: identity,
  meTokenCreate: identity,
  meTokenDelete: identity,
  serviceAccountCreate: identity,
  serviceAccountTokenCreate: identity,
  teamCreate: team,
  teamCreateV1: team,
  teamDelete: team,
  teamDeleteV1: team,
  teamUpdate: team,
  teamUpdateV1: team,
  applicationCreate: newApp,
  applicationCreateV1: newApp,
  advisorySetDelete: platform,
  advisorySetImport: platform,
  keyRotationCreate: platform,
};
