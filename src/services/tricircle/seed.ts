// Seeds a new cloud with the pods of its profile, in the regions of its profile.
export {
  adaptToReset,
  otherProfile,
  podsOfProfile,
  regionsOfProfile,
  seedPods,
} from './domain/pods/profile.ts';
