-- What could not be suspended goes on, and what could not be resumed stays suspended.
insert into state_transition (from_state, to_state) values
  ('suspending', 'ready'), ('resuming', 'suspended');
