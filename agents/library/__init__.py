"""What people and teams do with answers: share, judge, verify, talk about, find, collect."""
