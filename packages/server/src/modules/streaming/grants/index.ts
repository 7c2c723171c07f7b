/** The part of grants that the rest of streaming may use. */
export { followGrants, voidRequests } from './access-requests.ts';
export { addGrant, namedTopics, type Asker, type TopicLists, type WantedTopic } from './wanted-grants.ts';
export { accountsOfGroups, usersOfTopics, type UserOfTopic } from './topic-users.ts';
